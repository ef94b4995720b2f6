import { useEffect } from 'preact/hooks';
import { isTyping, setQuery } from '../state.js';

/** Moves the step that the address names among those that there are; by `[` and `]` too. */
export const useMoves = (steps: readonly (number | string)[], at: number) => {
  const move = (to: number) => {
    const next = steps[Math.max(0, Math.min(steps.length - 1, to))];
    if (next !== undefined) setQuery({ step: String(next) });
  };
  useEffect(() => {
    const press = ({ key, target }: KeyboardEvent) => {
      const by = { '[': -1, ']': 1 }[key];
      if (by !== undefined && !isTyping(target)) move(at + by);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return move;
};
