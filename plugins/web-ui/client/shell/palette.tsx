// Finds things by part of their name, from anywhere.
import { useEffect, useState } from 'preact/hooks';
import { addressIn, pathOf } from '../../pure/address.js';
import { saysFault } from '../request.js';
import { server } from '../server.js';
import { visit } from '../state.js';
import { Dialog } from './dialog.js';
import type * as pages from './pages.js';

type Thing = Awaited<ReturnType<typeof server.searchNames>>['things'][number];

/** Where the thing is shown: in the app, or, of what it does not show yet, on its small page. */
const addressOf = ({ kind, workspace, name, key, projectName }: Thing): string => {
  if (kind === 'project') return pathOf('w', workspace, 'p', name, 'runs');
  if (kind === 'model' || kind === 'artifact') return pathOf('w', workspace, kind, name);
  if (projectName !== null && key !== null)
    return pathOf('w', workspace, 'p', projectName, 'run', key);
  return pathOf(workspace, kind, name);
};

const shownOf = (thing: Thing): pages.Known => ({
  name: thing.name,
  says: `${thing.kind} · ${thing.workspace}${thing.projectName === null ? '' : ` / ${thing.projectName}`}`,
  open: () => {
    const to = addressOf(thing);
    if (to.startsWith('/w/')) visit(to);
    else location.assign(addressIn(to));
  },
});

/** What has the text in its name, asked for when one rests. */
const useFound = (text: string) => {
  const [found, setFound] = useState<readonly Thing[]>([]);
  const [says, setSays] = useState('');
  useEffect(() => {
    const leaving = new AbortController();
    const later = setTimeout(() => {
      if (text.trim() === '') {
        setSays('');
        return setFound([]);
      }
      server.searchNames({ query: { q: text.trim(), limit: 8 } }, leaving.signal).then(
        ({ things }) => {
          setFound(things);
          setSays(things.length === 0 ? 'Nothing that is stored has this in its name.' : '');
        },
        (thrown: unknown) => leaving.signal.aborted || setSays(saysFault(thrown)),
      );
    }, 120);
    return () => {
      clearTimeout(later);
      leaving.abort();
    };
  }, [text]);
  return { found, says };
};

/** The pages that have the text in their name; what lists them is fetched with the first palette. */
const usePages = (text: string): readonly pages.Known[] => {
  const [listed, setListed] = useState<typeof pages>();
  useEffect(() => {
    import('./pages.js').then(setListed, () => undefined); // the server is away, which is said elsewhere
  }, []);
  return listed?.pagesOf(text) ?? [];
};

export const Palette = ({ onClose }: { onClose: () => void }) => {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { found, says } = useFound(text);
  const offers = [...found.map(shownOf), ...usePages(text)];
  const open = (one: pages.Known) => {
    one.open();
    onClose();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: offers.length - 1 }[event.key];
    const one = offers[Math.min(chosen, offers.length - 1)];
    if (step !== undefined && offers.length > 0) {
      event.preventDefault();
      setChosen((chosen + step) % offers.length);
    } else if (event.key === 'Enter' && one !== undefined) open(one);
  };
  return (
    <Dialog label="Search" onClose={onClose}>
      <input
        class="big"
        aria-label="Search by name"
        placeholder="Projects, runs, models, artifacts, pages"
        dir="auto"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <ul class="found" role="listbox" aria-label="Found">
        {offers.map((one, at) => (
          <li
            key={`${one.says} ${one.name} ${at}`}
            role="option"
            aria-selected={at === chosen}
            onClick={() => open(one)}
          >
            <span dir="auto">{one.name}</span> <span class="faint">{one.says}</span>
          </li>
        ))}
      </ul>
      <p class="faint" role="status">
        {says}
      </p>
    </Dialog>
  );
};
