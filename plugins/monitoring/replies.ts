// What rows of the product answer in process.
import type { JsonText } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { MonitoringNeeds } from './needs.js';

const mostCharacters = 64 * 1024 * 1024;

const isText = (reply: unknown): reply is JsonText =>
  typeof reply === 'object' &&
  reply !== null &&
  Symbol.asyncIterator in Object((reply as { readonly text?: unknown }).text);

/** The reply of a row as a value; long lists come as their text. Rejects as a request of the caller would be refused. */
export const replyOf = async (
  { operations }: Pick<MonitoringNeeds, 'operations'>,
  id: string,
  query: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<unknown> => {
  const reply = await operations.call(id, { query }, caller);
  if (!isText(reply)) return reply;
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of reply.text) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    if (text.length > mostCharacters)
      throw new Failure('invalid', 'there are more files than are looked through');
  }
  return JSON.parse(text) as unknown;
};
