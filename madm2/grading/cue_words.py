"""The words that announce an answer, in common languages; patterns for `cues`."""

from __future__ import annotations


def alternatives(lines: str) -> str:
    """One pattern out of several lines of alternatives."""
    return "|".join(line.strip() for line in lines.strip().splitlines())


# What an answer is called. English apart: "answer 3 questions" states nothing, "Cevap 3" does.
ENGLISH = alternatives(
    r"""
    answers?|ans|guess
    (?:correct|right|best|closest|nearest|final|my) (?:options?|choices?|results?|letter)
    (?:correct|actual|final) (?:total|value|number|amount|sum|count|price|cost)
    """
)
OTHER = alternatives(
    r"""
    respuestas?|(?:opción|opcion|alternativa) correcta
    respostas?|gabarito|(?:alternativa|opção|opcao) correta
    réponses?|reponse|option correcte|bonne option
    rispost[ae]|opzione corretta|răspuns(?:ul)?
    antwort(?:en)?|(?:richtige|korrekte) option|antwoord|juiste optie|svar(?:et)?|rätt alternativ
    odpowied[źz](?: to)?|odpowiedzią(?: jest)?|poprawna opcja|odpověď|odgovor
    ответ(?:ом является)?|правильный вариант|відповідь|отговор(?:ът)?
    (?:doğru )?(?:cevap|yanıt|seçenek|şık)
    đáp án|đáp số|câu trả lời|phương án đúng
    jawaban(?:nya)?|pilihan yang (?:benar|tepat)|sagot(?: ay)?|jibu(?: sahihi)?(?: ni)?
    válasz(?: az?)?|vastaus(?: on)?|απάντηση
    الإجابة|الاجابة|إجابة|الجواب|جواب|الخيار الصحيح|پاسخ(?: صحیح| نهایی)?|התשובה|תשובה
    उत्तर|सही विकल्प|জবাব|উত্তর|விடை
    """
)
# These also name the outcome of a step, so they count only where the text closes.
WEAK = alternatives(
    r"""
    results?|solution|total|resultado|solución|résultat|ergebnis|lösung|risultato|soluzione
    resultaat|wynik|результат|sonuç|kết quả|hasil(?:nya)?|النتيجة|परिणाम
    """
)
# What joins the noun to the answer.
ENGLISH_JOINS = alternatives(
    r"""
    is|are|was|equals|becomes|turns out to be|comes (?:out )?to|(?:seems|appears) to be
    (?:would|will|must|should|has to|can only)(?: (?:then|thus|therefore))? be
    """
)
OTHER_JOINS = alternatives(
    r"""
    es|is|sería|son|est|ist|lautet|beträgt|è|é|és|será|sono|wynosi|jest|je|är|er|este
    равен|равно|будет|это|е|дорівнює|là|adalah|είναι|هو|هي|است|היא|הוא|है|হল|হলো
    """
)
# Chinese, Japanese, Korean and Thai stand without blanks.
EASTERN_NOUNS = alternatives(
    r"""
    答案|得数|答え|正解|解答|回答|正(?:确|確)的?(?:选项|選項)|正しい選択肢
    (?:最も)?(?:適切|正し)(?:い|な)(?:の|もの)|정답|해답|답|คำตอบ(?:ที่ถูกต้อง|สุดท้าย)?
    """
)
EASTERN_JOINS = (
    r"(?:应该|應該|应|應|就|便)?(?:选择|是|为|為|等于|選|选|は|が|은|는|이|คือ(?:\s*ข้อ)?)\s*[:：=]?"
)
EASTERN_RESULTS = r"(?:结果|結果|결과)(?:是|为|為|等于|は|는|:|：)"
EASTERN_TOTALS = (
    r"(?:所求的?值|的值|一共|总共|總共|共|合計)(?:需要|是|为|為|有|等于|は)\s*(?=[\d$\\０-９])"
)
