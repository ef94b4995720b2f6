// What the plots share: the room they have, and saving what they show.
import { useEffect, useRef, useState } from 'preact/hooks';
import { pngOf } from '../charts/picture.js';
import { attempt } from '../attempt.js';
import { save } from '../save.js';
import { query, setQuery } from '../state.js';

/** An element and how wide it is. */
export const useWidth = () => {
  const at = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = at.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(() => setWidth(Math.max(240, element.clientWidth)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return { at, width };
};

/** Whether an axis is one of powers; the same member of the address as that of charts. */
export const LogToggle = ({ name, label }: { name: 'logx' | 'logy'; label: string }) => {
  const on = query.value.get(name) === '1';
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={() => setQuery({ [name]: on ? undefined : '1' })}
    >
      {label}
    </button>
  );
};

const alone = (svg: Element): string => {
  const style = getComputedStyle(svg);
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  const [, , width = '0', height = '0'] = svg.getAttribute('viewBox')?.split(' ') ?? [];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui" font-size="11" color="${style.color}"><rect width="${width}" height="${height}" fill="${paper}"/>${svg.innerHTML}</svg>`;
};

/** Saves the plot that stands in the same section. */
export const SavePlot = ({ name }: { name: string }) => {
  const drawn = (from: Element) => {
    const svg = from.closest('section')?.querySelector('svg');
    return svg === null || svg === undefined ? '' : alone(svg);
  };
  return (
    <span class="acts">
      <button
        type="button"
        onClick={({ currentTarget }) =>
          attempt(pngOf(drawn(currentTarget)).then((blob) => save(`${name}.png`, blob)))
        }
      >
        PNG
      </button>
      <button
        type="button"
        onClick={({ currentTarget }) =>
          save(`${name}.svg`, new Blob([drawn(currentTarget)], { type: 'image/svg+xml' }))
        }
      >
        SVG
      </button>
    </span>
  );
};
