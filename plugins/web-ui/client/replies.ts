// What came along with the page. Each reply serves one request, and only while the page begins: what is asked later is to be new.
import { repliesId, type BroughtBytes, type BroughtId, type Replies } from '../pure/asking.js';

const freshMs = 4000;

/** The element of this id once all of it is there, or nothing where the page has ended without it. */
const arrived = (id: string): Promise<Element | null> =>
  new Promise((resolve) => {
    const watch = new MutationObserver(() => look());
    const look = () => {
      const found = document.getElementById(id);
      if (document.readyState === 'loading' && (found?.nextElementSibling ?? null) === null) return;
      watch.disconnect();
      document.removeEventListener('readystatechange', look);
      resolve(found);
    };
    watch.observe(document.body, { childList: true });
    document.addEventListener('readystatechange', look);
    look();
  });

const dataOf = async (id: string): Promise<unknown> => {
  const element = await arrived(id);
  element?.remove();
  return element === null ? undefined : JSON.parse(element.textContent ?? '');
};

const kept = new Map<string, unknown>();

/** Resolves once the replies that come with the page are there. */
export const repliesCame = async (): Promise<void> => {
  const replies = (await dataOf(repliesId)) as Replies | undefined; // as the server of this build wrote it
  for (const [key, reply] of Object.entries(replies ?? {})) kept.set(key, reply);
  setTimeout(() => kept.clear(), freshMs);
};

/** The reply to this request where it came with the page, once. */
export const takeReply = (key: string): unknown => {
  const reply = kept.get(key);
  kept.delete(key);
  return reply;
};

const bytesOf = ({ bytes }: BroughtBytes): ArrayBuffer => {
  const text = atob(bytes);
  const all = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) all[at] = text.charCodeAt(at);
  return all.buffer;
};

/** The request whose reply comes with the page under this id, and that reply once it is there; nothing in it where the server had none in time. Once. */
export const takeBytes = (
  id: BroughtId,
): { readonly body: unknown; readonly bytes: Promise<ArrayBuffer | undefined> } | undefined => {
  const body = takeReply(id);
  if (body === undefined) return undefined;
  const came = async () => {
    const brought = (await dataOf(id)) as BroughtBytes | undefined; // likewise
    return brought && bytesOf(brought);
  };
  // Of a page that was cut off they are asked for.
  return { body, bytes: came().catch(() => undefined) };
};
