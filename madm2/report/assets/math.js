"use strict";
// LaTeX to MathML, as far as answers need it; what it does not know stays as its source.
const mathML = (() => {
  const NS = "http://www.w3.org/1998/Math/MathML";
  const LONGEST = 4000, DEEPEST = 40;
  const words = (text) => new Map(text.trim().split(/\s+/).map((pair) => pair.split("=")));
  const LETTERS = words(`alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ
    iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ phi=ϕ varphi=φ chi=χ psi=ψ omega=ω
    Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω infty=∞ ell=ℓ emptyset=∅
    varnothing=∅ partial=∂ nabla=∇ hbar=ℏ Re=ℜ Im=ℑ ldots=… dots=… cdots=⋯ vdots=⋮ ddots=⋱ angle=∠
    triangle=△ circ=∘ degree=° prime=′ square=□ dotsc=… dotsb=⋯`);
  const SIGNS = words(`cdot=⋅ times=× div=÷ pm=± mp=∓ le=≤ leq=≤ ge=≥ geq=≥ ne=≠ neq=≠ equiv=≡ approx=≈
    sim=∼ cong=≅ propto=∝ in=∈ notin=∉ ni=∋ subset=⊂ subseteq=⊆ supset=⊃ cup=∪ cap=∩ setminus=∖ to=→
    rightarrow=→ leftarrow=← Rightarrow=⇒ implies=⟹ iff=⟺ mapsto=↦ forall=∀ exists=∃ land=∧ lor=∨
    neg=¬ mid=∣ nmid=∤ parallel=∥ perp=⊥ sum=∑ prod=∏ int=∫ oint=∮ ast=∗ star=⋆ oplus=⊕ otimes=⊗
    lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ langle=⟨ rangle=⟩ lbrace={ rbrace=} lvert=| rvert=| vert=|
    Vert=‖ bullet=• because=∵ therefore=∴ ll=≪ gg=≫ longrightarrow=⟶ leftrightarrow=↔ colon=: gets=←
    backslash=\\ smallsetminus=∖ leqslant=⩽ geqslant=⩾ wedge=∧ vee=∨ bmod=mod`);
  const NAMES = new Set(`sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim max min
    gcd lcm deg det dim ker arg inf sup Pr`.trim().split(/\s+/));
  const TEXTS = new Set("text mbox textbf textit textrm mathrm mathsf mathtt mathbf operatorname".split(" "));
  const FONTS = new Set("mathbb mathcal mathit boldsymbol mathfrak displaystyle textstyle limits".split(" "));
  const OVER = words("overline=‾ bar=‾ hat=^ widehat=^ vec=→ tilde=~ dot=˙ overrightarrow=→");
  const SPACES = words(`,=.17em ;=.28em :=.22em quad=1em qquad=2em enspace=.5em`);
  const TABLES = new Map([["matrix", "  "], ["pmatrix", "()"], ["bmatrix", "[]"], ["vmatrix", "||"],
    ["Bmatrix", "{}"], ["cases", "{ "], ["aligned", "  "], ["align", "  "], ["align*", "  "],
    ["array", "  "], ["gathered", "  "], ["split", "  "], ["smallmatrix", "  "]]);

  const make = (tag, content, attributes) => {
    const node = document.createElementNS(NS, tag);
    if (Array.isArray(content)) node.append(...content);
    else if (content !== undefined) node.textContent = content;
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    return node;
  };
  const row = (nodes) => (nodes.length === 1 ? nodes[0] : make("mrow", nodes));

  function parse(source, display) {
    const tokens = source.match(/\\[a-zA-Z]+\*?|\\[\s\S]|\d+(?:[.,]\d+)*|\s+|[\s\S]/gu) || [];
    let at = 0;
    const fail = () => { throw new SyntaxError(source); };
    const skip = () => { while (at < tokens.length && /^\s/.test(tokens[at])) at++; };
    const peek = () => (skip(), tokens[at]);

    function raw() { // the source between braces
      if (peek() !== "{") fail();
      const start = ++at;
      for (let open = 1; at < tokens.length; at++) {
        if (tokens[at] === "{") open++;
        if (tokens[at] === "}" && --open === 0) return tokens.slice(start, at++).join("");
      }
      return fail();
    }

    function argument(depth) {
      if (peek() === "{") { at++; const node = row(until(["}"], depth)); at++; return node; }
      if (/^\d{2,}/.test(tokens[at] || "")) { // \frac12 is one half
        const digits = tokens[at];
        tokens.splice(at, 1, digits[0], digits.slice(1));
      }
      return atom(depth);
    }

    function until(stops, depth) {
      if (depth > DEEPEST) fail();
      const nodes = [];
      while (peek() !== undefined && !stops.includes(tokens[at])) {
        if (tokens[at] === "}" || tokens[at] === "&" || tokens[at] === "\\\\") fail();
        nodes.push(scripted(depth));
      }
      if (stops.length && tokens[at] === undefined) fail();
      return nodes;
    }

    function scripted(depth) {
      let base = /^[_^]$/.test(peek()) ? make("mrow", []) : atom(depth);
      let low, high;
      for (;;) {
        const sign = peek();
        if (sign === "_" && !low) { at++; low = argument(depth + 1); }
        else if (sign === "^" && !high) { at++; high = argument(depth + 1); }
        else if (/^['’]$/.test(sign || "") && !high) { at++; high = make("mo", "′"); }
        else break;
      }
      const limits = display && /^(∑|∏|lim|max|min)$/.test(base.textContent);
      if (low && high) return make(limits ? "munderover" : "msubsup", [base, low, high]);
      if (low) return make(limits ? "munder" : "msub", [base, low]);
      if (high) return make(limits ? "mover" : "msup", [base, high]);
      return base;
    }

    function delimiter() {
      const token = peek();
      at++;
      if (token === undefined) fail();
      if (token === ".") return "";
      const name = token.slice(1);
      return token[0] !== "\\" ? token : SIGNS.get(name) || (name === "|" ? "‖" : name);
    }

    function table(name, depth) {
      if (!TABLES.has(name)) fail();
      if (name === "array") raw();
      const rows = [[]];
      for (;;) {
        rows[rows.length - 1].push(make("mtd", until(["&", "\\\\", "\\end"], depth + 1)));
        const stop = tokens[at++];
        if (stop === "\\\\") rows.push([]);
        else if (stop === "\\end") break;
      }
      if (raw() !== name) fail();
      if (rows[rows.length - 1].every((cell) => !cell.childNodes.length)) rows.pop();
      const [open, close] = TABLES.get(name);
      const inner = make("mtable", rows.map((cells) => make("mtr", cells)),
        { columnalign: /^(cases|align|split)/.test(name) ? "left" : "center" });
      const fence = (sign) => (sign === " " ? [] : [make("mo", sign, { stretchy: "true" })]);
      return make("mrow", [...fence(open), inner, ...fence(close)]);
    }

    function command(name, depth) {
      const next = () => argument(depth + 1);
      if (/^[dtc]?frac$/.test(name)) return make("mfrac", [next(), next()]);
      if (/^[dt]?binom$/.test(name)) return make("mrow", [make("mo", "("),
        make("mfrac", [next(), next()], { linethickness: "0" }), make("mo", ")")]);
      if (name === "sqrt") {
        if (peek() !== "[") return make("msqrt", [next()]);
        at++;
        const degree = row(until(["]"], depth + 1));
        at++;
        return make("mroot", [next(), degree]);
      }
      if (TEXTS.has(name)) return make("mtext", raw().replace(/\\([%$#&_{} ])/g, "$1"));
      if (FONTS.has(name)) return make("mrow", []);
      if (OVER.has(name)) return make("mover", [next(), make("mo", OVER.get(name))], { accent: "true" });
      if (name === "underline") return make("munder", [next(), make("mo", "_")]);
      if (name === "boxed" || name === "fbox") return make("mrow", [next()], { class: "boxed" });
      if (name === "left") {
        const open = delimiter(), inner = until(["\\right"], depth + 1);
        at++;
        const close = delimiter();
        return make("mrow", [make("mo", open, { stretchy: "true" }), ...inner,
          make("mo", close, { stretchy: "true" })]);
      }
      if (/^([bB]igg?|middle)[lrm]?$/.test(name)) return make("mo", delimiter());
      if (name === "begin") return table(raw(), depth);
      if (name === "pmod") return make("mrow", [make("mtext", " (mod "), next(), make("mo", ")")]);
      if (name === "tag") return make("mtext", ` (${raw()})`);
      if (LETTERS.has(name)) return make("mi", LETTERS.get(name));
      if (SIGNS.has(name)) return make("mo", SIGNS.get(name));
      if (NAMES.has(name)) return make("mi", name);
      if (SPACES.has(name)) return make("mspace", [], { width: SPACES.get(name) });
      if (/^[!\s]$/.test(name)) return make("mspace", [], { width: /\s/.test(name) ? ".25em" : "0" });
      if (/^[%$#&_{}]$/.test(name)) return make("mo", name);
      if (name === "|") return make("mo", "‖");
      return fail();
    }

    function atom(depth) {
      const token = peek();
      if (token === undefined) fail();
      at++;
      if (token === "{") { const inner = until(["}"], depth + 1); at++; return row(inner); }
      if (token[0] === "\\") return command(token.slice(1), depth);
      if (/^\d/.test(token)) return make("mn", token);
      if (/^\p{L}$/u.test(token)) return make("mi", token);
      if (token === "~") return make("mspace", [], { width: ".3em" });
      return make("mo", token === "-" ? "−" : token);
    }

    const nodes = until([], 0);
    return make("math", [row(nodes)], display ? { display: "block" } : {});
  }

  // A MathML element, or null when the source is not understood.
  return (source, display) => {
    if (source.length > LONGEST) return null;
    try { return parse(source, display); } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  };
})();
