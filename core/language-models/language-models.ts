import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { languageModelOperations } from '#ports/api/language-models';
import { Failure, isFailure } from '#ports/failure';
import { Outgoing } from '#ports/outgoing';
import { pricedModels } from '../traces/rules.js';
import { traceSettings } from '../traces/settings.js';
import { addressOf, checkKey, readModels, readVersion } from './ollama.js';

/** Bytes of a list of models that are read; one that is longer is refused. */
const mostBytes = 4 * 1024 * 1024;

interface Instance {
  readonly base_url: string;
  readonly api_key?: string | undefined;
}

/** What an instance replied; without a text, why there is none. */
type Answer = { readonly text: string } | { readonly error: string };

export const languageModelsArea = area({
  name: 'language-models',
  summary: 'Models of providers, and of Ollama instances.',
  family: privateFamily,
  table: languageModelOperations,
  needs: { outgoing: Outgoing, traceSettings: traceSettings.port },
  handlers: ({ outgoing, traceSettings: { ORRERY_MODEL_PRICES } }) => {
    const ask = async (
      { base_url, api_key: key }: Instance,
      path: string,
      signal: AbortSignal,
    ): Promise<Answer> => {
      const url = `${addressOf(base_url)}${path}`;
      checkKey(key);
      try {
        outgoing.check(url);
      } catch (thrown) {
        throw isFailure(thrown)
          ? new Failure('unprocessable', thrown.message, { cause: thrown })
          : thrown;
      }
      const reply = await outgoing.send(
        {
          method: 'GET',
          url,
          headers: {
            Accept: 'application/json',
            ...(key === undefined || key === '' ? {} : { Authorization: `Bearer ${key}` }),
          },
          mostBytes,
        },
        signal,
      );
      const { status, error, retry, text } = reply;
      // Neither answered nor worth another attempt: the address was judged, and refused.
      if (status === undefined && !retry)
        throw new Failure('unprocessable', error ?? 'base_url may not be called');
      return error === undefined ? { text } : { error };
    };

    return {
      listLanguageModels: async () => pricedModels(ORRERY_MODEL_PRICES),
      async listOllamaModels({ body, signal }) {
        const answer = await ask(body, '/api/tags', signal);
        const models = 'text' in answer ? readModels(answer.text) : undefined;
        if (models !== undefined) return { status: 200, body: models } as const;
        const message =
          'error' in answer
            ? answer.error
            : 'the target does not answer as an Ollama instance does';
        return { status: 500, body: { code: 500, message, errors: [message] } } as const;
      },
      async testOllama({ body, signal }) {
        const answer = await ask(body, '/api/version', signal);
        const version = 'text' in answer ? readVersion(answer.text) : undefined;
        if (version !== undefined)
          return { status: 200, body: { connected: true, version } } as const;
        const error_message =
          'error' in answer
            ? answer.error
            : 'the target does not answer as an Ollama instance does';
        return { status: 502, body: { connected: false, error_message } } as const;
      },
    };
  },
});
