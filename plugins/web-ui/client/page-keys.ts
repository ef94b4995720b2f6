// The keys of a page.
import { useLayoutEffect } from 'preact/hooks';
import { isTyping } from './state.js';

export type KeyActs = Readonly<Record<string, (() => void) | undefined>>;

/**
 * Acts by the names of keys, while nobody types and no dialog is open. Keys with a name of several letters stay with what is in `keeps`: they scroll,
 * fold or play what is there.
 */
export const usePageKeys = (acts: KeyActs, keeps?: string): void =>
  // Before the next key comes, what it does must be that of now.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (isTyping(target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return;
      const kept =
        keeps !== undefined && target instanceof Element && target.closest(keeps) !== null;
      const act = kept && key.length > 1 ? undefined : acts[key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
