// Looks for a text in a stored value, a part at a time, so that a large one does not hold the page up.
import { useEffect, useState } from 'preact/hooks';
import { placesWith, type FoundPlace } from '../../pure/json-search.js';
import { formatCount } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { Json } from './json.js';
import { LargeValue } from './large.js';

const mostFound = 100;

interface Found {
  readonly places: readonly FoundPlace[];
  readonly state: 'busy' | 'whole' | 'cut';
}

const foundOf = (places: readonly FoundPlace[]): Found => ({
  places: places.slice(0, mostFound),
  state: places.length > mostFound ? 'cut' : 'whole',
});

const usePlaces = (value: unknown, text: string): Found | undefined => {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    setFound(undefined);
    if (text === '') return undefined;
    let left = false;
    const look = async () => {
      if (value instanceof LargeValue) {
        const places = await value.search(text, mostFound + 1);
        if (!left) setFound(foundOf(places));
        return;
      }
      const places: FoundPlace[] = [];
      for (const place of placesWith(value, text)) {
        if (left) return;
        if (place !== undefined) places.push(place);
        else await new Promise((wake) => setTimeout(wake));
        if (places.length > mostFound) break;
      }
      if (!left) setFound(foundOf(places));
    };
    attempt(look());
    return () => {
      left = true;
    };
  }, [value, text]);
  return text === '' ? undefined : (found ?? { places: [], state: 'busy' });
};

const says = ({ places, state }: Found): string =>
  state === 'busy'
    ? 'looking …'
    : `${formatCount(places.length)}${state === 'cut' ? ' or more' : ''} ${places.length === 1 ? 'place' : 'places'}`;

export const SearchIn = ({ value, name }: { value: unknown; name: string }) => {
  const [text, setText] = useState('');
  const found = usePlaces(value, text);
  return (
    <div class="value-search">
      <p class="controls">
        <input
          type="search"
          aria-label={`What to look for in the ${name}`}
          placeholder="name or text"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value.trim())}
        />
        <span class="faint" role="status">
          {found === undefined ? '' : says(found)}
        </span>
      </p>
      {found === undefined || found.places.length === 0 ? null : (
        <ul class="json" aria-label={`Places in the ${name}`}>
          {found.places.map(({ path, value: one }) => (
            <li key={path}>
              <code>{path === '' ? 'all of it' : path}</code>: <Json value={one} open={0} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
