// A thread that reads replies that are too large for the page, keeps what they hold, and hands out what is looked at.
import { placesWith, type FoundPlace } from '../../pure/json-search.js';
import {
  atPath,
  lighten,
  lightReply,
  type Answered,
  type Asked,
  type Light,
} from '../../pure/large-values.js';
import { messagesOf } from '../../pure/trace-values.js';

/** What is told of them, their list, a message, its pieces, and one piece; what that holds may be left out. */
const levelsOfMessages = 5;
/** A list, and one of it, be it a place that was found or a member with its name. */
const levelsOfLists = 2;

/** Of each reply what was given out of it: the reply itself, and what was asked for afterwards. */
const kept = new Map<number, unknown[]>();
/** The last search in each reply; one that is no longer it ends. */
const searches = new Map<number, number>();

/** Notes a value, so that its parts can be asked for, and hands it out without what is large. */
const giveOut = (
  { id, reply }: Asked,
  value: unknown,
  light: (value: unknown) => Light,
): Answered => {
  const all = kept.get(reply) ?? [];
  kept.set(reply, all);
  return { id, root: all.push(value) - 1, light: light(value) };
};

const membersOf = (value: unknown, from: number, most: number): readonly unknown[] =>
  Array.isArray(value)
    ? value.slice(from, from + most).map((one: unknown, at) => [String(from + at), one])
    : Object.entries(value ?? {}).slice(from, from + most);

const search = async (
  asked: Asked,
  value: unknown,
  { text, most }: { readonly text: string; readonly most: number },
): Promise<readonly FoundPlace[]> => {
  searches.set(asked.reply, asked.id);
  const places: FoundPlace[] = [];
  for (const place of placesWith(value, text)) {
    if (place === undefined) await new Promise((wake) => setTimeout(wake));
    else places.push(place);
    if (places.length >= most || searches.get(asked.reply) !== asked.id) break;
  }
  return places;
};

const answer = async (asked: Asked): Promise<Answered> => {
  if (asked.what === 'read') {
    const value: unknown = JSON.parse(new TextDecoder().decode(asked.bytes));
    return giveOut(asked, value, lightReply);
  }
  if (asked.what === 'forget') {
    kept.delete(asked.reply);
    searches.delete(asked.reply);
    return { id: asked.id, root: 0, light: { value: null, stubs: [] } };
  }
  const value = atPath(kept.get(asked.reply)?.[asked.root], asked.path);
  switch (asked.what) {
    case 'members':
      return giveOut(asked, membersOf(value, asked.from, asked.most), (one) =>
        lighten(one, levelsOfLists),
      );
    case 'messages': {
      const all = messagesOf(value);
      const shown = all && { total: all.length, last: all.slice(-asked.most) };
      return giveOut(asked, shown, (one) => lighten(one, levelsOfMessages));
    }
    case 'search':
      return giveOut(asked, await search(asked, value, asked), (one) =>
        lighten(one, levelsOfLists),
      );
    case 'text': {
      const text = String(value).slice(asked.from, asked.to);
      return { id: asked.id, root: 0, light: { value: text, stubs: [] } };
    }
    case 'file': {
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
      return { id: asked.id, file: new Blob([text], { type: 'application/octet-stream' }) };
    }
  }
};

addEventListener('message', ({ data }) => {
  const asked = data as Asked; // the page sends nothing else
  answer(asked).then(
    (one) => postMessage(one),
    (thrown: unknown) =>
      postMessage({
        id: asked.id,
        fault: thrown instanceof Error ? thrown.message : String(thrown),
      } satisfies Answered),
  );
});
