// Why a model did not answer, as clients get it.
import type { ChatFault } from '#ports/chat-model';
import { Failure, type FailureKind } from '#ports/failure';

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'absent',
  409: 'conflict',
  413: 'tooLarge',
  415: 'unsupported',
  422: 'unprocessable',
  429: 'throttled',
};

/** A reply of this status that says why a model did not answer. */
export const refusedAs = <const S extends number>(status: S, message: string) => ({
  status,
  body: { code: status, message, errors: [message] },
});

/** A provider's refusal as the client gets it: with its status where a client is at fault, else 500 for the model's failure and 502 for having no answer. */
export const refuse = ({ status, message, retryAfter }: ChatFault) => {
  if (status === 402) return refusedAs(402, message);
  if (status === 408) return refusedAs(408, message);
  if (status === 500) return refusedAs(500, message);
  if (status === undefined || status < 400 || status > 499) return refusedAs(502, message);
  throw new Failure(
    kinds[status] ?? 'invalid',
    message,
    retryAfter === undefined ? {} : { retryAfter },
  );
};
