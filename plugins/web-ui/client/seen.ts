import { useEffect, useState } from 'preact/hooks';

/** Whether the element is, or is about to be, on the screen. */
export const useSeen = (at: { readonly current: Element | null }): boolean => {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (at.current === null) return undefined;
    const watch = new IntersectionObserver(
      (entries) => setSeen(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '300px' },
    );
    watch.observe(at.current);
    return () => watch.disconnect();
  }, []);
  return seen;
};
