// Shows the debates: each is a block of data in the page that is read when it is opened.
(() => {
  const PAGE = 100;
  const $ = (id) => document.getElementById(id);
  const list = JSON.parse($("list").textContent);
  const READERS = ["paper", "released"];
  let matches = [], shown = 0;

  function element(tag, attributes, ...content) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...content);
    return node;
  }

  // Control characters as pictures; changes of direction are named, so that they change nothing.
  const visible = (text) => text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase()}⟩`)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

  const MATH = /\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$\$([\s\S]+?)\$\$|\$(?!\s)([^$\n]{1,600}?)(?<!\s)\$(?!\d)/g;

  function withMath(text) { // nodes: the text with its formulas set
    text = visible(text);
    if ($("source").checked) return [text];
    const nodes = [];
    let end = 0;
    for (const found of text.matchAll(MATH)) {
      const tex = found[1] ?? found[2] ?? found[3] ?? found[4];
      const set = mathML(tex, found[2] !== undefined || found[3] !== undefined);
      if (!set) continue;
      nodes.push(text.slice(end, found.index), set);
      end = found.index + found[0].length;
    }
    nodes.push(text.slice(end));
    return nodes;
  }

  function answer(text) { // a short answer, which may be bare LaTeX
    if (text === null || text === "") return element("em", {}, text === null ? "none" : "empty");
    const bare = text.length < 400 && /[\\^_]/.test(text) && !/\$|\\\(|\\\[/.test(text);
    const set = bare && !$("source").checked ? mathML(visible(text), false) : null;
    return element("span", { class: "inline", dir: "auto", title: visible(text.slice(0, 400)) },
      ...(set ? [set] : withMath(text)));
  }

  const block = (text) => element("div", { class: "text", dir: "auto" }, ...withMath(text));
  const mark = (right, what) => element("span", { class: right ? "good" : "bad" },
    `${right ? "✓" : "✗"} ${what}`);
  const folded = (title, text) => lazy(element("details", { class: "thinking" },
    element("summary", {}, title)), () => block(text));

  function lazy(details, content) {
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) details.append(content());
    });
    return details;
  }

  function definitions(pairs) {
    return element("dl", {}, ...pairs.flatMap(([name, ...values]) =>
      [element("dt", {}, name), element("dd", {}, ...values)]));
  }

  function completion(said) {
    const parts = [];
    if (said.thinking) {
      const size = said.thinking.length.toLocaleString("en");
      parts.push(folded(`thinking, ${size} characters`, said.thinking));
    }
    parts.push(said.text.trim() ? block(said.text) : element("p", {}, element("em", {}, "empty")));
    return parts;
  }

  const ends = { stop: "", length: "cut off at the length limit", prompt_too_long: "prompt too long" };
  const remarks = (said) => [said.tokens ? `${said.tokens.toLocaleString("en")} tokens` : "",
    ends[said.end] ?? ""].filter(Boolean).join(", ");

  function readings(said) {
    const same = said.read.paper === said.read.released;
    const pairs = same ? [["answer", answer(said.read.paper)]]
      : READERS.map((name) => [`read by ${name}`, answer(said.read[name])]);
    pairs.push(["verdicts", mark(said.right.paper, "paper"), " ", mark(said.right.released, "released")]);
    return definitions(pairs);
  }

  function agent(said, number) {
    return element("div", { class: "card" },
      element("p", {}, element("strong", {}, `Agent ${number + 1}`), " ",
        element("span", { class: "tags" }, remarks(said))),
      readings(said), ...completion(said));
  }

  function memory(memory, number, before) {
    const seen = before.answers[number];
    const said = element("p", {}, element("strong", {}, `Agent ${number + 1}: ${memory.keep ? "kept" : "masked"}`),
      memory.why ? `, ${memory.why}` : "");
    if (seen) said.append("; its answer: ", answer(seen.read.paper), " ", mark(seen.right.paper, "paper"), " ",
      mark(seen.right.released, "released"));
    const card = element("div", { class: memory.keep ? "card" : "card masked" }, said);
    if (memory.judge) card.append(lazy(element("details", { class: "thinking" },
      element("summary", {}, `judge, ${remarks(memory.judge)}`)),
      () => element("div", {}, ...completion(memory.judge))));
    return card;
  }

  function voted(votes) {
    return definitions(READERS.map((name) => {
      const vote = votes[name];
      const more = [`${vote.count} ${vote.count === 1 ? "vote" : "votes"}`, vote.tie ? "tie" : "",
        vote.consensus ? "consensus" : "no consensus"].filter(Boolean).join(", ");
      return [`vote, ${name}`, answer(vote.answer), ` (${more}) `, mark(vote.right, vote.right ? "right" : "wrong")];
    }));
  }

  function debate(number) {
    const data = JSON.parse($(`d${number}`).textContent);
    const link = element("a", { href: `#d${number}` }, "link to this debate");
    const inner = element("div", { class: "open" }, element("p", { class: "note" }, link),
      element("h3", {}, "Question"), block(data.query));
    data.options.forEach((option, i) => inner.append(block(`${String.fromCharCode(65 + i)}. ${option}`)));
    inner.append(definitions([["gold", answer(data.gold)], ...READERS.map((name) => {
      const verdict = data.verdicts[name];
      return [`verdict, ${name}`, answer(verdict.answer), " ",
        mark(verdict.status === "correct", verdict.status.replaceAll("_", " "))];
    })]));
    if (data.solution !== data.gold) inner.append(folded("gold as the dataset has it", data.solution));
    data.rounds.forEach((round, i) => {
      if (round.mask) inner.append(element("h3", {}, `Memories for round ${i + 1}, ${round.mask.strategy} mask`),
        element("div", { class: "agents" }, ...round.mask.memories.map((m, k) => memory(m, k, data.rounds[i - 1]))));
      inner.append(element("h3", {}, `Round ${i + 1}`), voted(round.votes),
        element("div", { class: "agents" }, ...round.answers.map(agent)));
    });
    return inner;
  }

  const TAGS = { disagree: "instruments disagree", helped: "helped", harmed: "harmed", tie: "tie",
    unparsed: "not read", cut_off: "cut off", all_masked: "all masked" };

  function item(number) {
    const entry = list.debates[number], right = entry.flags.includes("right");
    const tags = entry.flags.filter((flag) => TAGS[flag]).map((flag) => TAGS[flag]).join(" · ");
    return lazy(element("details", { class: "debate" }, element("summary", {},
      mark(right, right ? "right" : "wrong"),
      element("span", { class: "query", dir: "auto" }, ...withMath(entry.query.slice(0, 300))),
      element("span", { class: "tags" }, tags),
      element("span", { class: "tags" }, `run ${entry.run + 1}, ${visible(entry.id.slice(0, 40))}`))),
      () => debate(number));
  }

  function follow() { // a link to one debate: #d12
    const number = Number((location.hash.match(/^#d(\d+)$/) || [])[1]);
    if (!(number < list.debates.length)) return;
    matches = [number];
    restart();
    const details = $("found").firstChild;
    details.addEventListener("toggle", () => details.scrollIntoView(), { once: true });
    details.open = true;
  }

  function restart() {
    const left = list.total - list.debates.length, count = (n) => n.toLocaleString("en");
    $("count").textContent = `${count(matches.length)} of ${count(list.debates.length)} debates`
      + (left ? `; ${count(left)} more are not in this page (--max_debates)` : "");
    $("found").replaceChildren();
    shown = 0;
    more();
  }

  function more() {
    const next = matches.slice(shown, shown + PAGE);
    $("found").append(...next.map(item));
    shown += next.length;
    $("more").hidden = shown >= matches.length;
    $("more").textContent = `Show ${Math.min(PAGE, matches.length - shown)} more`;
  }

  function filter() {
    const run = $("run").value, flag = $("flag").value, sought = $("search").value.trim().toLowerCase();
    matches = [];
    list.debates.forEach((entry, number) => {
      if (run !== "" && entry.run !== Number(run)) return;
      if (flag === "changed" ? !entry.flags.some((f) => f === "helped" || f === "harmed")
        : flag && !entry.flags.includes(flag)) return;
      if (sought && !`${entry.query}\n${entry.found}\n${entry.id}`.toLowerCase().includes(sought)) return;
      matches.push(number);
    });
    restart();
  }

  list.runs.forEach((name, i) => $("run").append(element("option", { value: i }, `${i + 1}: ${name}`)));
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("input", filter);
  $("more").addEventListener("click", more);
  addEventListener("hashchange", follow);
  addEventListener("load", follow); // when the figures have their size
  filter();
})();
