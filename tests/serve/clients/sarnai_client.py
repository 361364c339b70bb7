"""The hosted service's own client against a server of ours: sarnai_client.py BASE-URL.

With a second address, that of a server that sells, the 402 paths are gone through as well.
"""

import sys
import uuid

import sarnai

assert sarnai.__version__ == "0.2.1", sarnai.__version__
base = sys.argv[1]
selling = sys.argv[2] if len(sys.argv) > 2 else None
agent = f"agent {uuid.uuid4()}/é"
schema = {"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}}


def refused(status, code, call):
    try:
        call()
    except sarnai.SarnAIError as error:
        assert (error.status, error.code) == (status, code), (error.status, error.code, error)
        return error
    raise AssertionError(f"not refused: {status} {code}")


with sarnai.SarnAIClient(verify_url=base, score_url=base) as client:
    passed = client.verify_output(schema, {"total": 3}, agent_id=agent, task_id="t-1")
    assert passed.passed and passed.task_id == "t-1" and not passed.errors
    assert set(passed.attestation) == {"algorithm", "key_version", "timestamp", "signature"}
    assert passed.raw["schema_compliance"]["ratio"] == 1.0

    failed = client.verify_output(
        schema, {"total": "3"}, agent_id=agent, endpoint="deliverable",
        rules=[{"type": "gte", "field": "total", "value": 1}], enforce_rules=True,
        bounds={"total": {"max": 5}}, strict_content_check=True)
    assert failed.result == "fail" and failed.errors and failed.hints
    assert failed.raw["summary"]["blocking_checks"][0] == "type"

    compact = client.verify_output(schema, {"total": 3}, compact=True)
    assert compact.passed and "request_hash" not in compact.raw and compact.verification_id

    null = client.verify_output({"type": "null"}, None)
    assert null.passed

    record = client.reputation(agent)
    assert (record["verified"], record["passed"], record["failed"]) == (2, 1, 1), record

    score = client.score(agent)
    assert score.has_score and score.sample_size == 2 and score.reason is None, score
    low, high = score.raw["confidence_interval_95"]
    assert 0 <= low <= score.trust_score <= high <= 1
    assert score.attestation["algorithm"] == "Ed25519"

    for nobody in (f"nobody-{uuid.uuid4()}", "test-agent"):
        none = client.score(nobody)
        assert not none.has_score and none.reason == "no_data" and none.attestation

    error = refused(422, "invalid_request", lambda: client.verify_output(
        {"type": "no such type"}, 1, rules=[{"type": "nope", "field": "a"}]))
    assert error.payload["charged"] is False and error.next_actions[0]["action"] == "fix_request_fields"
    fields = [field["field"] for field in error.payload["fields"]]
    assert "rules[0].type" in fields, fields
    refused(422, "invalid_request", lambda: client.verify_output(schema, 1, task_id="x" * 201))
    refused(422, "invalid_request", lambda: client.score("x" * 201))
    refused(422, "invalid_request", lambda: client.reputation("\x00"))
    refused(413, "payload_too_large", lambda: client.verify_output(schema, "x" * 1_100_000))
    refused(404, "not_found", lambda: client._request("GET", f"{base}/nowhere"))

if selling:
    with sarnai.SarnAIClient(verify_url=selling, score_url=selling) as client:
        large = "x" * 40_000
        for call in (lambda: client.verify_output(schema, large),):
            try:
                call()
            except sarnai.PaymentRequiredError as error:
                assert error.status == 402 and error.accepts, error
                assert error.payment_required["x402Version"] == 2
                assert error.challenge["free_trial"]["available"] is True
            else:
                raise AssertionError("not asked to pay")
        assert client.verify_output(schema, {"total": 1}, agent_id=agent).passed
        try:
            client.score(agent)
        except sarnai.PaymentRequiredError as error:
            assert error.accepts[0]["amount"] == "10000", error.accepts
        else:
            raise AssertionError("not asked to pay for a score")
        assert client.score("test-agent").reason == "no_data"
