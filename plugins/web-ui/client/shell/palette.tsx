// Finds things by part of their name, from anywhere.
import { useEffect, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { saysFault } from '../request.js';
import { server } from '../server.js';
import { go } from '../state.js';
import { Dialog } from './dialog.js';

type Thing = Awaited<ReturnType<typeof server.searchNames>>['things'][number];

/** Where the thing is shown: in the app, or, of what it does not show yet, on its small page. */
const addressOf = ({ kind, workspace, name, key, projectName }: Thing): string => {
  if (kind === 'project') return pathOf('w', workspace, 'p', name, 'runs');
  if (kind === 'model' || kind === 'artifact') return pathOf('w', workspace, kind, name);
  if (projectName !== null && key !== null)
    return pathOf('w', workspace, 'p', projectName, 'run', key);
  return pathOf(workspace, kind, name);
};

export const Palette = ({ onClose }: { onClose: () => void }) => {
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Thing[]>([]);
  const [says, setSays] = useState('');
  const [chosen, setChosen] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const later = setTimeout(() => {
      if (text.trim() === '') return setFound([]);
      server.searchNames({ query: { q: text.trim(), limit: 8 } }, leaving.signal).then(
        ({ things }) => {
          setFound(things);
          setChosen(0);
          setSays(things.length === 0 ? 'Nothing has this in its name.' : '');
        },
        (thrown: unknown) => leaving.signal.aborted || setSays(saysFault(thrown)),
      );
    }, 120);
    return () => {
      clearTimeout(later);
      leaving.abort();
    };
  }, [text]);
  const open = (thing: Thing) => {
    const to = addressOf(thing);
    if (to.startsWith('/w/')) go(to);
    else location.assign(to);
    onClose();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: found.length - 1 }[event.key];
    const thing = found[chosen];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setChosen((chosen + step) % found.length);
    } else if (event.key === 'Enter' && thing !== undefined) open(thing);
  };
  return (
    <Dialog label="Search" onClose={onClose}>
      <input
        type="search"
        class="big"
        aria-label="Search by name"
        placeholder="Projects, runs, models, artifacts"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={press}
      />
      <ul class="found" role="listbox" aria-label="Found">
        {found.map((thing, at) => (
          <li
            key={thing.kind + thing.id}
            role="option"
            aria-selected={at === chosen}
            onClick={() => open(thing)}
          >
            {thing.name}
            <span class="faint">
              {thing.kind} · {thing.workspace}
              {thing.projectName === null ? '' : ` / ${thing.projectName}`}
            </span>
          </li>
        ))}
      </ul>
      <p class="faint" role="status">
        {says}
      </p>
    </Dialog>
  );
};
