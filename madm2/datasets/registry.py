"""Which datasets there are: where each comes from, what it must hold, how its answers are read.

Revisions are commits of the hub's repositories; file names and fields are those of that commit.
"""

from __future__ import annotations

from dataclasses import replace

from madm2.datasets import convert
from madm2.datasets.spec import DatasetSpec, Source
from madm2.registry import Registry

# The order in which MATH's subjects follow each other; a seed's questions depend on it.
MATH_SUBJECTS = (
    "precalculus",
    "geometry",
    "prealgebra",
    "number_theory",
    "algebra",
    "counting_and_probability",
    "intermediate_algebra",
)
MMLU_SUBJECTS = tuple(
    """abstract_algebra anatomy astronomy business_ethics clinical_knowledge college_biology
    college_chemistry college_computer_science college_mathematics college_medicine
    college_physics computer_security conceptual_physics econometrics electrical_engineering
    elementary_mathematics formal_logic global_facts high_school_biology high_school_chemistry
    high_school_computer_science high_school_european_history high_school_geography
    high_school_government_and_politics high_school_macroeconomics high_school_mathematics
    high_school_microeconomics high_school_physics high_school_psychology
    high_school_statistics high_school_us_history high_school_world_history human_aging
    human_sexuality international_law jurisprudence logical_fallacies machine_learning
    management marketing medical_genetics miscellaneous moral_disputes moral_scenarios
    nutrition philosophy prehistory professional_accounting professional_law
    professional_medicine professional_psychology public_relations security_studies sociology
    us_foreign_policy virology world_religions""".split()
)
REDUX_SUBJECTS = tuple(
    """anatomy astronomy business_ethics clinical_knowledge college_chemistry
    college_computer_science college_mathematics college_medicine college_physics
    conceptual_physics econometrics electrical_engineering formal_logic global_facts
    high_school_chemistry high_school_geography high_school_macroeconomics
    high_school_mathematics high_school_physics high_school_statistics high_school_us_history
    human_aging logical_fallacies machine_learning miscellaneous philosophy
    professional_accounting professional_law public_relations virology""".split()
)
_ARITHMETIC = tuple(
    f"arithmetic_{task}" for task in "1dc 2da 2dm 2ds 3da 3ds 4da 4ds 5da 5ds".split()
)

_GSM8K = Source(
    repo="openai/gsm8k",
    config="main",
    split="test",
    files=("main/test-00000-of-00001.parquet",),
    convert=convert.fields("question", "answer"),
    rows=1319,
    licence="MIT",
    citation="Cobbe et al. 2021, arXiv 2110.14168",
    revision="740312add88f781978c0658806c59bc2815b9866",
    queries_sha256="45f6db7cc91193ba",
)
_MATH = Source(
    repo="EleutherAI/hendrycks_math",
    config=", ".join(MATH_SUBJECTS),
    split="test",
    files=tuple(f"{subject}/test-00000-of-00001.parquet" for subject in MATH_SUBJECTS),
    convert=convert.fields("problem", "solution"),
    rows=5000,
    licence="MIT",
    citation="Hendrycks et al. 2021, arXiv 2103.03874",
    revision="21a5633873b6a120296cce3e2df9d5550074f4a3",
    queries_sha256="02869526c2f1a09a",
)
_MATH500 = Source(
    repo="HuggingFaceH4/MATH-500",
    config="default",
    split="test",
    files=("test.jsonl",),
    convert=convert.fields("problem", "answer", "unique_id"),
    rows=500,
    licence="MIT (MATH); the card states none",
    citation="Lightman et al. 2023, arXiv 2305.20050",
    revision="6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be",
)
_AIME24 = Source(
    repo="HuggingFaceH4/aime_2024",
    config="default",
    split="train",
    files=("data/train-00000-of-00001.parquet",),
    convert=convert.fields("problem", "answer", "id"),
    rows=30,
    licence="the card states none; problems of the Mathematical Association of America",
    citation="AIME I and II 2024",
    revision="2fe88a2f1091d5048c0f36abc874fb997b3dd99a",
    queries_sha256="a2e2ea5bd9668607",
)
_AIME25 = Source(
    repo="yentinglin/aime_2025",
    config="default",
    split="train",
    files=("data/train-00000-of-00001-243207c6c994e1bd.parquet",),
    convert=convert.fields("problem", "answer", "id"),
    rows=30,
    licence="the card states none; problems of the Mathematical Association of America",
    citation="AIME I and II 2025",
    revision="6f71d77b0b89b9dabe07ab466c51df33f514df7f",
    queries_sha256="17ef45554558eb59",
)
_MMLU_PRO = Source(
    repo="TIGER-Lab/MMLU-Pro",
    config="default",
    split="test",
    files=("data/test-00000-of-00001.parquet",),
    convert=convert.choices("question", "options", "answer", "question_id"),
    rows=12032,
    licence="MIT",
    citation="Wang et al. 2024, arXiv 2406.01574",
    revision="b189ec765aa7ed75c8acfea42df31fdae71f97be",
)
_MMLU = Source(
    repo="cais/mmlu",
    config="all",
    split="test",
    files=("all/test-00000-of-00001.parquet",),
    convert=convert.choices("question", "choices", "answer"),
    rows=14042,
    licence="MIT",
    citation="Hendrycks et al. 2021, arXiv 2009.03300",
    revision="c30699e8356da336a370243923dbaf21066bb9fe",
)
_ELEUTHER_ARITHMETIC = Source(
    repo="EleutherAI/arithmetic",
    config=", ".join(_ARITHMETIC),
    split="validation",
    files=tuple(f"{task}/validation/0000.parquet" for task in _ARITHMETIC),
    convert=convert.asked,
    rows=20000,
    licence="the card states none",
    citation="Brown et al. 2020, arXiv 2005.14165",
    # A commit of the hub's Parquet branch: the main branch has a loading script instead.
    revision="14413db3567723ff76bc468508333b5c7a9dcf5d",
)
_STRATEGYQA = Source(
    repo="ChilleD/StrategyQA",
    config="default",
    split="test",
    files=("data/test-00000-of-00001-bae602f3ee37f4ca.parquet",),
    convert=convert.yes_or_no,
    rows=687,
    licence="MIT",
    citation="Geva et al. 2021, arXiv 2101.02235",
    revision="705562638fe1d8ca6bb98c66fc8f94d45fda8c83",
)
_GPQA = Source(
    repo="Idavidrein/gpqa",
    config="gpqa_diamond",
    split="train",
    files=("gpqa_diamond.csv",),
    convert=convert.one_right_three_wrong,
    rows=198,
    licence="CC BY 4.0; its authors ask that no example is shown in plain text online",
    citation="Rein et al. 2023, arXiv 2311.12022",
    revision="633f5ee89ab8ad4522a9f850766b73f62147ffdd",
    gated=True,
)
_AMC12 = Source(
    repo="AI-MO/aimo-validation-amc",
    config="default",
    split="train",
    files=("data/train-00000-of-00001.parquet",),
    convert=convert.fields("problem", "answer", "id"),
    rows=83,
    licence="Apache-2.0; problems of the Mathematical Association of America",
    citation="AMC 12 of 2022 and 2023",
    revision="69d78a4a2c840e82d69af6bc742bda09005f6316",
)
_OLYMPIAD = Source(
    repo="Hothan/OlympiadBench",
    config="OE_TO_maths_en_COMP",
    split="train",
    files=("OlympiadBench/OE_TO_maths_en_COMP/OE_TO_maths_en_COMP.parquet",),
    convert=convert.olympiad,
    rows=674,
    licence="Apache-2.0",
    citation="He et al. 2024, arXiv 2402.14008",
    revision="91184b52131e7fc9455fef848035173aea8cc01a",
)
_MMLU_REDUX = Source(
    repo="edinburgh-dawg/mmlu-redux",
    config=", ".join(REDUX_SUBJECTS),
    split="test",
    files=tuple(f"{subject}/data-00000-of-00001.arrow" for subject in REDUX_SUBJECTS),
    convert=convert.checked_choices("question", "choices", "answer", "error_type"),
    rows=3000,
    licence="CC BY 4.0",
    citation="Gema et al. 2024, arXiv 2406.04127",
)
_MUSIQUE = Source(
    repo="dgslibisey/MuSiQue",
    config="default",
    split="validation",
    files=("musique_ans_v1.0_dev.jsonl",),
    convert=convert.over_paragraphs,
    rows=2417,
    licence="CC BY 4.0 (MuSiQue); the copy has no card",
    citation="Trivedi et al. 2022, arXiv 2108.00573",
    revision="c8f4f8c9465fb69d31a8eae894c3fd509c4ca321",
)


def mmlu_subject(subject: str, rows: int | None = None) -> DatasetSpec:
    """One subject of MMLU as a set of its own.

    Args:
        subject: a name of MMLU_SUBJECTS.
        rows: rows of its test split, where known.
    """
    files = (f"{subject}/test-00000-of-00001.parquet",)
    source = replace(_MMLU, config=subject, files=files, rows=rows)
    return DatasetSpec("choice", about=f"MMLU, {subject}", chance=0.25, source=source)


DATASETS: Registry[DatasetSpec] = Registry("dataset")
for _name, _spec in {
    "gsm8k": DatasetSpec("numeric", 100, "grade-school word problems", 0.0, _GSM8K),
    "math": DatasetSpec("math", 100, "competition mathematics", 0.0, _MATH),
    "math500": DatasetSpec("math", 100, "500 problems of MATH", 0.0, _MATH500),
    "aime24": DatasetSpec("numeric", None, "AIME 2024", 0.0, _AIME24),
    "aime25": DatasetSpec("numeric", None, "AIME 2025", 0.0, _AIME25),
    "mmlu_pro": DatasetSpec("choice", 100, "MMLU-Pro, up to 10 options", 0.1, _MMLU_PRO),
    "mmlu": DatasetSpec("choice", 100, "MMLU, all 57 subjects", 0.25, _MMLU),
    "formal_logic": mmlu_subject("formal_logic", 126),
    "logical_fallacies": mmlu_subject("logical_fallacies", 163),
    "eleuther_arithmetic": DatasetSpec(
        "numeric", 100, "sums up to five digits", 0.0, _ELEUTHER_ARITHMETIC
    ),
    "strategyqa": DatasetSpec("text", 100, "yes or no, by implicit steps", 0.5, _STRATEGYQA),
    "gpqa_diamond": DatasetSpec("choice", 100, "graduate-level science", 0.25, _GPQA),
    "amc12": DatasetSpec("numeric", 100, "AMC 12 of 2022 and 2023", 0.0, _AMC12),
    "olympiadbench": DatasetSpec(
        "math", 100, "olympiad mathematics: English, open-ended, text only", 0.0, _OLYMPIAD
    ),
    "mmlu_redux": DatasetSpec(
        "choice", 100, "MMLU rows that were checked by hand", 0.25, _MMLU_REDUX
    ),
    "musique": DatasetSpec("text", 100, "questions over several paragraphs", 0.0, _MUSIQUE),
    "arithmetic": DatasetSpec("numeric", 100, "generated sums and products"),
    "logic": DatasetSpec("choice", 100, "generated deductions", 0.25),
}.items():
    DATASETS.add(_name, _spec)
