"""What may stand around an option letter, in common languages; patterns for `choice`."""

from __future__ import annotations

import re

from madm2.grading.cue_words import alternatives

_NOUN = alternatives(
    r"""
    options?|choices?|letter|opción|opcion|letra|alternativa|opção|opzione|lettera|lettre
    buchstabe|möglichkeit|optie|alternativ(?:et)?|opcja|вариант|опция|буква
    seçenek|şık|phương án|pilihan|opsi|विकल्प|الخيار|选项|選項|選択肢|선택지
    """
)
_ARTICLE = r"(?:the|la|el|il|le|die|der|das|het|de|d[aeo]|as?|o|l['’])\s*(?=(?:@NOUN)\b)".replace(
    "@NOUN", _NOUN
)
_LETTER_ARTICLE = (
    r"(?:the|la|el|il|le|die|der|das|η|(?-i:an?|o))\s+(?=[(\[*]{0,3}(?-i:[A-Z])(?![\w'’]))"
)
MARKS = r"[\s\"'“‘«*_`$\[({<>}#]*"
LEAD = re.compile(
    rf"{MARKS}(?:\\[(\[])?{MARKS}(?:[-•]\s+)?(?:{_ARTICLE}|{_LETTER_ARTICLE})?"
    rf"(?P<noun>(?:{_NOUN})\s*[:：]?)?(?:answer\s*[:：]?)?{MARKS}",
    re.IGNORECASE,
)
OPENING = re.compile(rf"{MARKS}(?:(?:{_NOUN})\s+)?[A-Z][*_\"']*(?:[).:\]]|$)", re.IGNORECASE)
LETTER = re.compile(r"(?P<letter>[A-Za-z])(?P<close>[\s\"'”’»*_`$\])}>\\]*)(?P<rest>.*)", re.DOTALL)
LONE = re.compile(r"[^\w+#°]*([A-Za-z])(?:[^\w+#°]|_)*")  # not C++, C#, °C
LISTED = re.compile(r"[\s*_(\[-]*[A-Z][*_]*[).:\]]")

# What goes on about a choice. After a letter any other word makes it an article, a pronoun or
# part of a term ("A lack", "I think", "B cells").
_REASONS = alternatives(
    r"""
    because|since|as (?:it|the|this|explained|shown|stated|described|per|we)|which|due
    given that|based on|according|porque|ya que|pues|pois|car|puisque|parce|weil|denn|da
    perché|poiché|потому|так как|поскольку|omdat|ponieważ|çünkü|vì|karena
    因为|因為|なぜなら|क्योंकि|لأن
    """
)
_VERBS = alternatives(
    r"""
    is|was|are|with|for|so|but|not|and not|if|when|by|from|in|on|at|rather|instead
    only(?=\W*$)|would be|seems?|best|correct|right|matches|follows|holds|fits|works
    es|est|ist|è|é|är|er|jest|là|adalah|yang|y no|et non|und nicht|e não|e non
    şıkkı\w*|seçeneği\w*|olacak\w*|olmalı\w*|dır|dir
    です|だ|である|が|と(?:なり|なる|思)|になり|입니다|이다|이며|번|이고|예요
    है|होगा|است|是|正确|正確|项|項|选项|對|对
    """
)
REASON = re.compile(rf"(?:{_REASONS})(?!\w)", re.IGNORECASE)
REASONED = re.compile(rf",?\s+(?:{_REASONS})(?!\w).*", re.IGNORECASE | re.DOTALL)
GOES_ON = re.compile(
    rf"$|[.:;!?。；：!？\n)\]}}(（|—–=]|-(?=\s)|,(?!\s*too\b)|،|、|，"
    rf"|(?:{_REASONS}|{_VERBS})(?![a-zà-ɏ])",
    re.IGNORECASE,
)
# The same where nothing said that an answer follows; for A and I only.
GOES_ON_UNSTATED = re.compile(rf"$|[-–—]\s|,?\s*(?:{_REASONS})(?!\w)|(?:is|です|が|est|ist)\b")
ATTACHED = re.compile(r"['’]d[iıuü]r|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
LABELS = re.compile(r"(?![A-Z]\b)[A-Z\d$\\(]")  # "B Paris", "B 12"
SECOND = re.compile(
    r"[\s,]*(?:and|or|&|/|\||,|、|und|oder|et|ou|y|e|o|u|и|или|ve|veya|và|hoặc|dan|atau|和|或|と|와|또는)"
    rf"\s*(?:{_NOUN})?\s*[(\[]?(?:[B-HJ-Z](?![\w'’])|[AI](?=\W*$|[.,;:)\]]))"
    r"|[\s,]*[(\[][A-Z][)\]]"
)
_WRONG = r"incorrect[oae]?|wrong|false|invalid|falsch|fals[oa]|faux|errad[oa]|sbagliat[oa]"
DENIED = re.compile(
    rf"\W*(?:is|was|are|ist|es|est|è|é|is also)\s*(?:not|n['’]t|nicht|pas|{_WRONG})"
    r"|\W*(?:не|不)\s*(?:подходит|верно|是|对|正确)|\s*isn['’]t\b",
    re.IGNORECASE,
)
TURNED_DOWN = re.compile(rf"\W*(?:{_WRONG})\b.*\b(?-i:[A-Z])\b", re.IGNORECASE | re.DOTALL)
TERM = re.compile(  # i.e., U.S., I. M. Pei, and species: E. coli, C. elegans
    r"\.(?:[A-Za-z]|\s?[A-Z]\.|\s?(?:coli|elegans|pylori|difficile|diff|subtilis|influenzae|"
    r"melanogaster|botulinum|albicans|cereus|anthracis|perfringens|tetani|faecalis)\b)"
)

_OPTION = rf"(?:(?:the\s+)?(?:{_NOUN})\s*)?"
_MARKED = r"(?<![A-Za-zÀ-ɏ0-9'’.+#-])[(\[*]{0,4}(?P<letter>[A-Z])[)\]*]{0,4}(?![A-Za-zÀ-ɏ0-9'’+#-])"
_RIGHT = alternatives(
    r"""
    correct|right|best|better|true|valid|appropriate|answer|final answer|one that
    correct[oae]|richtig|korrekt|corrett[oa]|juste|bonne|rätt|respuesta|réponse|resposta|risposta
    """
)
_CHOOSE = alternatives(
    r"""
    choose|pick|select|go(?:ing)? with|chose|choosing|opt for|leav(?:es|ing)
    stand by|agree with|stick with|settle on
    elijo|escojo|escolho|scelgo|wähle|choisis|выбираю|chọn|wybieram|memilih
    """
)
CLAIMS = (
    re.compile(
        rf"(?<!and )(?<!or )(?<!nor )(?<![A-J], )(?<![Vv]itamin ){_MARKED}\s{{1,3}}"
        r"(?:is|must be|would be|should be|seems|est|ist|es|è|é|är|jest)\s+"
        r"(?:(?:the|our|my|clearly|indeed|therefore|thus|also|most|la|le|il|a|die)\s+){0,2}"
        rf"(?:{_RIGHT})\b"
    ),
    re.compile(
        rf"(?i:\b(?:{_CHOOSE})\s+{_OPTION}){_MARKED}(?!\s+(?:random|few|number|different|set|pair))"
    ),
    re.compile(
        rf"(?:选项|選項|選択肢|선택지)\s*{_MARKED}\s*(?:是|が|이|가|为)?\s*(?:正确|正確|正しい|对|對|맞|옳)"
    ),
    re.compile(
        rf"{_MARKED}\s*(?:[がは](?:正解|正しい)|(?:是|项|选项)正确|是对的|[가이] (?:정답|맞))"
    ),
    re.compile(rf"\b[Oo]nly {_OPTION}{_MARKED} (?:fits|works|matches|holds|applies|is left)\b"),
    re.compile(rf"{_MARKED} remains\b"),
    re.compile(rf"\bist {_MARKED} (?:die )?(?:richtig|korrekt)"),
    re.compile(
        r"(?i:(?<!\w)(?:richtig|korrekt|correcta?|correto|corretta|верно) (?:ist|es|est|é|è) )"
        + _MARKED
    ),
)
_CONCLUDING = alternatives(
    r"""
    so|thus|therefore|hence|by elimination|it|that|this|i|we|would|must|should|has to|is|be|say
    it['’]s|that['’]s|i['’]d|think|believe|guess|probably|likely|go with|also|our|my
    donc|por tanto|portanto|quindi|所以|因此
    """
)
CONCLUDES = re.compile(
    rf"(?:^|[.!?,;\n])\W{{0,9}}(?i:(?:(?:{_CONCLUDING})[\s,:]{{0,3}}){{1,8}}{_OPTION}){_MARKED}[.!\s*]*$"
)
MENTION = re.compile(
    rf"(?i:\b(?:option|choice|statement)\s+){_MARKED}(?!\s(?:would|think|believe|choose|want|pick)\b)"
    r"|[(\[](?P<bare>[A-Z])[)\]]"
)
NEGATIVE = re.compile(
    r"\b(?:not|eliminat\w*|rule[sd]? out|cannot|isn['’]t|neither|nor|unlike|except)\b"
    rf"|\b(?:{_WRONG})\b",
    re.IGNORECASE,
)
