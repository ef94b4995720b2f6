import { pathOf } from '../../pure/address.js';
import { EntryView } from './entry.js';

/** A trace beside the list of them. */
export const TracePeek = ({
  base,
  id,
  onStep,
  onClose,
  onChange,
}: {
  base: readonly string[];
  id: string;
  onStep: (by: number) => void;
  onClose: () => void;
  onChange: () => void;
}) => (
  <aside class="peek whole" aria-label="The trace at a glance">
    <header>
      <h2>
        <a href={pathOf(...base, 'trace', id)}>Open the trace</a>
      </h2>
      <button type="button" aria-label="Trace above" onClick={() => onStep(-1)}>
        ↑
      </button>
      <button type="button" aria-label="Trace below" onClick={() => onStep(1)}>
        ↓
      </button>
      <button type="button" aria-label="Close" onClick={onClose}>
        ×
      </button>
    </header>
    <EntryView kind="trace" id={id} base={base} onChange={onChange} />
  </aside>
);
