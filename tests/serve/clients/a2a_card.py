"""Whether the installed a2a-sdk, 0.3 or 1, takes an agent card: a2a_card.py FILE."""

import json
import sys
from importlib.metadata import version

card = json.load(open(sys.argv[1]))
if version("a2a-sdk").startswith("0."):
    from a2a.types import AgentCard

    read = AgentCard.model_validate(card)
    assert read.protocol_version == "0.3.0" and read.preferred_transport.startswith("urn:")
    assert [skill.id for skill in read.skills] == ["verify-schema", "trust-score"]
else:
    from a2a.client.card_resolver import parse_agent_card
    from a2a.utils.proto_utils import validate_proto_required_fields

    read = parse_agent_card(card)
    validate_proto_required_fields(read)
    assert read.supported_interfaces[0].protocol_binding.startswith("urn:")
    assert [skill.id for skill in read.skills] == ["verify-schema", "trust-score"]
uris = [extension.uri for extension in read.capabilities.extensions]
assert "urn:json-schema-verifier:extension:attestation:v1" in uris, uris
