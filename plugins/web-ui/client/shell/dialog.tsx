import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A native dialog over the page; the browser keeps the focus in it, and Escape closes it. */
export const Dialog = ({
  label,
  onClose,
  children,
}: {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
}) => {
  const at = useRef<HTMLDialogElement>(null);
  useEffect(() => at.current?.showModal(), []);
  return (
    <dialog
      ref={at}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === at.current && onClose()}
    >
      {children}
    </dialog>
  );
};
