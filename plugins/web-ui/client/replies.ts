// Replies that came along with the page. Each serves one request, and only while the page begins: what is asked later is to be new.
import { repliesId, type Replies } from '../pure/asking.js';

const freshMs = 4000;

const read = (): Map<string, unknown> => {
  const element = document.getElementById(repliesId);
  const replies = JSON.parse(element?.textContent ?? '{}') as Replies; // as the server of this build wrote it
  element?.remove();
  return new Map(Object.entries(replies));
};
const kept = read();
setTimeout(() => kept.clear(), freshMs);

/** The reply to this request where it came with the page, once. */
export const takeReply = (key: string): unknown => {
  const reply = kept.get(key);
  kept.delete(key);
  return reply;
};
