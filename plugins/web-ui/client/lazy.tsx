// Screens that are fetched when they are first shown.
import type { ComponentType } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useTurn } from './loading.js';
import { awaySince, saysFault } from './request.js';
import { AskAgain } from './shell/wait.js';

/** A component that is fetched; `ahead` fetches it before it is shown, so that it is there when the server is away. */
export type Lazy<P> = ComponentType<P> & { readonly ahead: () => void };

/** A component whose code is fetched when it is first shown; what it has to say where that fails is a fault with a way on. */
export const lazy = <P extends object>(load: () => Promise<ComponentType<P>>): Lazy<P> => {
  let found: ComponentType<P> | undefined;
  const fetched = async () => {
    found ??= await load();
    return found;
  };
  const Fetched = (props: P) => {
    const [Shown, setShown] = useState(() => found);
    const [fault, setFault] = useState('');
    const turn = useTurn(fault !== '');
    const away = awaySince.value !== undefined;
    useLayoutEffect(() => {
      if (Shown !== undefined) return;
      fetched().then(
        (one) => {
          setShown(() => one);
          setFault('');
        },
        (thrown: unknown) => setFault(saysFault(thrown)),
      );
    }, [away, turn]);
    if (fault !== '')
      return (
        <p class="fault empty">
          {fault}. Load the page again, or <AskAgain />
        </p>
      );
    return Shown === undefined ? <p class="faint empty">loading …</p> : <Shown {...props} />;
  };
  const ahead = () => {
    fetched().then(
      () => undefined,
      // It is fetched again when it is shown.
      () => undefined,
    );
  };
  return Object.assign(Fetched, { ahead });
};
