import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { mayLose, place, query, unsaved } from '../state.js';

const opened = signal<VNode | undefined>(undefined);

/** Opens a dialog that stays whatever becomes of the part of the page that asked for it; it takes the place of one that is open. */
export const openDialog = (dialog: VNode): void => {
  opened.value = dialog;
};
export const closeDialog = (): void => {
  opened.value = undefined;
};
/** Where such a dialog stands; one that goes to another page leaves it behind, and within a page one in which nothing is written. */
export const OpenDialog = () => {
  useEffect(() => closeDialog, [place.value]);
  useEffect(
    () => () => {
      if (unsaved.size === 0) closeDialog();
    },
    [query.value],
  );
  return opened.value ?? null;
};

/** Gives the focus back to what had it, or to what has its name now if the page was drawn anew. */
const giveBack = (before: Element | null): void => {
  const name = before?.getAttribute('aria-label');
  const now =
    before?.isConnected === false && typeof name === 'string'
      ? document.querySelector(`[aria-label="${CSS.escape(name)}"]`)
      : before;
  if (now instanceof HTMLElement) now.focus();
};

/** Whether one pressed beside a dialog, and neither in it nor on its edge. */
const isBeside = (dialog: HTMLElement, { clientX: x, clientY: y }: PointerEvent): boolean => {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
};

/**
 * A native dialog over the page; the browser keeps the focus in it. Escape closes it, and asks first where something is written in it; a press beside it
 * does while nothing is. A press that began in it, such as one that marks a text, is not beside it wherever it ends.
 */
export const Dialog = ({
  label,
  wide = false,
  onClose,
  children,
}: {
  label: string;
  wide?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) => {
  const at = useRef<HTMLDialogElement>(null);
  const writtenBefore = useRef(unsaved.size);
  const beside = useRef(false);
  const isWritten = () => unsaved.size > writtenBefore.current;
  useLayoutEffect(() => {
    const before = document.activeElement;
    at.current?.showModal();
    return () => {
      // Back to where one was, once the dialog is gone and the page can have the focus again.
      queueMicrotask(() => giveBack(before));
    };
  }, []);
  return (
    <dialog
      ref={at}
      class={wide ? 'wide' : ''}
      aria-label={label}
      onClose={onClose}
      onKeyDown={(event) => {
        // Before the browser hears of it, which closes a dialog at the second Escape whatever the page says. What is open in the dialog goes first.
        if (event.key !== 'Escape' || event.defaultPrevented || !isWritten()) return;
        if (at.current?.querySelector(':popover-open, dialog[open]') !== null) return;
        event.preventDefault();
        if (mayLose()) onClose();
      }}
      onCancel={(event) => {
        // A file chooser in it is cancelled by an event of the same name.
        if (event.target !== at.current) return;
        // At once: the browser tells of a dialog that it closed itself only later, when the next key may have been pressed.
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        beside.current = isBeside(event.currentTarget, event);
      }}
      onClick={(event) => {
        if (event.target !== at.current || !beside.current) return;
        if (!isWritten()) onClose();
      }}
    >
      {children}
    </dialog>
  );
};
