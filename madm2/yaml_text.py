"""Reads YAML strictly: one document, no key twice; dates are texts and 1e-3 is a number."""

from __future__ import annotations

import re
from typing import Any

import yaml

from madm2.errors import UserError

_TIMESTAMP = "tag:yaml.org,2002:timestamp"


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} is there twice", problem_mark=key.start_mark
                )
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else key)
        return node


# YAML 1.1 wants a point and a sign in a number with an exponent, and reads 1e-3 as a text.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+\Z", re.ASCII),
    list("-+.0123456789"),
)


def load_yaml(text: str, what: str) -> Any:
    """Read one YAML document; `what` names it in errors.

    Raises:
        UserError: it is not valid YAML, or a mapping holds a key twice.
    """
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise UserError(f"{what} is not valid YAML", have=f"{line}{error.problem}") from error
    # What else comes: characters that YAML has not, numbers of too many digits, deep nesting.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(f"{what} is not valid YAML", have=reason) from error
