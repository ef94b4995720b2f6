import { useLayoutEffect, useState } from 'preact/hooks';

const ahead = 300;

/** Whether the element is, or is about to be, on the screen. */
export const useSeen = (at: { readonly current: Element | null }): boolean => {
  const [seen, setSeen] = useState(false);
  useLayoutEffect(() => {
    if (at.current === null) return undefined;
    // What is on the screen from the start does not wait for the first report.
    const { top, bottom, height } = at.current.getBoundingClientRect();
    if (height > 0 && bottom > -ahead && top < innerHeight + ahead) setSeen(true);
    const watch = new IntersectionObserver(
      (entries) => setSeen(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: `${ahead}px` },
    );
    watch.observe(at.current);
    return () => watch.disconnect();
  }, []);
  return seen;
};
