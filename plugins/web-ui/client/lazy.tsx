// Screens that are fetched when they are first shown.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { saysFault } from './request.js';

/** A component whose code is fetched when it is first shown; what it has to say where that fails is a fault with a way on. */
export const lazy = <P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> => {
  let found: ComponentType<P> | undefined;
  return (props: P) => {
    const [Shown, setShown] = useState(() => found);
    const [fault, setFault] = useState('');
    useEffect(() => {
      if (Shown !== undefined) return;
      load().then(
        (one) => {
          found = one;
          setShown(() => one);
        },
        (thrown: unknown) => setFault(saysFault(thrown)),
      );
    }, []);
    if (fault !== '') return <p class="fault empty">{fault}. Load the page again.</p>;
    return Shown === undefined ? <p class="faint empty">loading …</p> : <Shown {...props} />;
  };
};
