"""Route of OpenAI's chat completions, for clients that do not know the Responses API."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import ValidationError

from orderly.api.callers import CurrentServices, SignedIn, public_address
from orderly.api.errors import openai_error_responses
from orderly.api.responses.chat_completions import CompletionRequest, chunks, completion
from orderly.api.responses.prepared_run import prepare_run
from orderly.errors import Invalid, RunFailed

router = APIRouter(prefix="/v1", tags=["chat completions"], responses=openai_error_responses(403, 404, 409))

COMPLETION: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The completion, or with `stream` its chunks.",
        "content": {"application/json": {}, "text/event-stream": {}},
    }
}


@router.post("/chat/completions", response_model=None, responses=COMPLETION)
async def create_completion(
    body: CompletionRequest, request: Request, caller: SignedIn, services: CurrentServices
) -> StreamingResponse | dict[str, Any]:
    """Answer the last message. Earlier messages give the context; verified quotations are annotations of the answer."""
    try:
        asked = body.as_response()
    except ValidationError as error:
        raise Invalid(str(error.errors()[0]["msg"])) from error
    # The client sends the whole history each time, so that no conversation is continued.
    prepared = await prepare_run(request, services, replace(caller, thread_id=None), asked)
    address = public_address(request, services)
    if not body.stream:
        response = [response async for _, response in prepared.events()][-1]
        if response["status"] != "completed":
            raise RunFailed(response["error"]["message"])
        return completion(response, address)

    async def lines() -> AsyncIterator[str]:
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        async for chunk in chunks(prepared.events(), address, with_usage=with_usage):
            yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})
