"""One line of a JSONL file: an object, or an error that names the line."""

from __future__ import annotations

import json
from typing import Any

from madm2.errors import UserError


def parse_object(line: bytes, where: str) -> dict[str, Any]:
    """Parse a line that holds one JSON object; lone surrogates pass.

    Args:
        line: the line's bytes.
        where: file and line, for errors.

    Raises:
        UserError: not UTF-8, not JSON, not an object.
    """
    try:
        row = json.loads(line.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError as error:
        raise UserError(f"{where} is not UTF-8", have=str(error)) from error
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{where} is not valid JSON", have=str(error), fix="is the file cut off? fetch it again"
        ) from error
    if not isinstance(row, dict):
        raise UserError(f"{where} is not a JSON object", have=type(row).__name__)
    return row
