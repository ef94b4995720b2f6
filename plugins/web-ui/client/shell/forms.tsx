// A button that leads to the other forms of the page's address: what is in them is what stands in the address, as the server reads it.
import { useState } from 'preact/hooks';
import { lazy } from '../lazy.js';
import type { FormsOf } from './forms-menu.js';

const FormsMenu = lazy<FormsOf & { readonly at: Element; readonly onClose: () => void }>(
  async () => (await import('./forms-menu.js')).FormsMenu,
);

export const Forms = (of: FormsOf) => {
  const [at, setAt] = useState<Element>();
  return (
    <>
      <button
        type="button"
        aria-haspopup="menu"
        title="The same as CSV, JSON, Markdown, a picture or a report"
        onClick={({ currentTarget }) => setAt(currentTarget)}
      >
        as … ▾
      </button>
      {at === undefined ? null : <FormsMenu {...of} at={at} onClose={() => setAt(undefined)} />}
    </>
  );
};
