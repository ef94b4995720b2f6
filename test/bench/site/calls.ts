// The calls that people of a site make, each timed under its name.
import type { BenchServer } from '../server.js';

export interface Call {
  readonly name: string;
  /** From the beginning of the week, in ms. */
  readonly at: number;
  readonly ms: number;
  readonly failed: boolean;
}

export interface Caller {
  /** Rejects where the answer is not 200; it is noted all the same. */
  call(
    name: string,
    method: 'GET' | 'POST',
    path: string,
    body?: object | FormData,
  ): Promise<unknown>;
  readonly calls: readonly Call[];
  /** What the first few refusals said. */
  readonly refusals: readonly string[];
}

const refusalsKept = 5;

export const createCaller = ({ url, apiKey }: BenchServer): Caller => {
  const begun = performance.now();
  const calls: Call[] = [];
  const refusals: string[] = [];
  const exchange = async (method: string, path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData;
    const reply = await fetch(url + path, {
      method,
      headers: {
        Authorization: apiKey,
        ...(isForm || body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (reply.status !== 200)
      throw new Error(`${method} ${path} answered ${reply.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text) as unknown;
  };
  return {
    calls,
    refusals,
    async call(name, method, path, body) {
      const startedAt = performance.now();
      const note = (failed: boolean) =>
        calls.push({ name, at: startedAt - begun, ms: performance.now() - startedAt, failed });
      try {
        const answer = await exchange(method, path, body);
        note(false);
        return answer;
      } catch (thrown) {
        note(true);
        if (refusals.length < refusalsKept)
          refusals.push(thrown instanceof Error ? thrown.message : String(thrown));
        throw thrown;
      }
    },
  };
};
