import { useEffect, useRef } from 'preact/hooks';

/** A native popover below an element: a list of acts and addresses, of which those without one are left out. Escape and a click elsewhere close it. */
export const Menu = ({
  at,
  label,
  entries,
  onClose,
}: {
  at: Element;
  label: string;
  entries: readonly (readonly [name: string, act: (() => void) | string | undefined])[];
  onClose: () => void;
}) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const menu = box.current;
    if (menu === null) return;
    const { left, bottom } = at.getBoundingClientRect();
    menu.showPopover();
    menu.style.left = `${Math.max(4, Math.min(left, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(bottom + 2, innerHeight - menu.offsetHeight - 8))}px`;
    menu.querySelector<HTMLElement>('button, a')?.focus();
  }, [at]);
  const step = (by: number) => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>('button, a') ?? [])];
    const here = all.findIndex((one) => one === document.activeElement);
    all[(here + by + all.length) % all.length]?.focus();
  };
  return (
    <div
      class="menu"
      popover="auto"
      role="menu"
      aria-label={label}
      ref={box}
      onToggle={(event) => event.newState === 'closed' && onClose()}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        step(by);
      }}
    >
      {entries.map(([name, act]) =>
        act === undefined ? null : typeof act === 'string' ? (
          <a
            key={name}
            role="menuitem"
            href={act}
            target="_blank"
            rel="noopener"
            onClick={() => setTimeout(onClose)}
          >
            {name}
          </a>
        ) : (
          <button
            key={name}
            type="button"
            role="menuitem"
            onClick={() => {
              onClose();
              act();
            }}
          >
            {name}
          </button>
        ),
      )}
    </div>
  );
};
