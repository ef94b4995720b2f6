import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A native dialog over the page; the browser keeps the focus in it, and Escape closes it. */
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
  useLayoutEffect(() => {
    const before = document.activeElement;
    at.current?.showModal();
    return () => {
      // Back to where one was, once the dialog is gone and the page can have the focus again.
      if (before instanceof HTMLElement) queueMicrotask(() => before.focus());
    };
  }, []);
  return (
    <dialog
      ref={at}
      class={wide ? 'wide' : ''}
      aria-label={label}
      onClose={onClose}
      onCancel={(event) => {
        // A file chooser in it is cancelled by an event of the same name.
        if (event.target !== at.current) return;
        // At once: the browser tells of a dialog that it closed itself only later, when the next key may have been pressed.
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === at.current && onClose()}
    >
      {children}
    </dialog>
  );
};
