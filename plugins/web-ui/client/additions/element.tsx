// A custom element of a plugin: its script is loaded when it is first shown, and it is told what is looked at.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTurn } from '../loading.js';
import { ask, mayWrite, saysFault } from '../request.js';
import { AskAgain } from '../shell/wait.js';
import { isDark } from '../state.js';
import { addressIn } from '../../pure/address.js';

export interface Context {
  readonly workspace: string;
  readonly project?: string | undefined;
  readonly runs?: readonly { readonly key: string; readonly name: string }[];
}

/** Loads the script, and waits until it has defined the element. */
const define = async (script: string, element: string): Promise<void> => {
  await import(/* the address is the server's */ addressIn(script));
  if (customElements.get(element) === undefined)
    throw new Error(`its script does not define the element ${element}`);
};

export const PluginElement = ({
  script,
  element,
  title,
  context,
}: {
  script: string;
  element: string;
  title: string;
  context: Context;
}) => {
  const place = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState('');
  const [ready, setReady] = useState(false);
  const turn = useTurn(fault !== '');
  useEffect(() => {
    let gone = false;
    setReady(false);
    setFault('');
    define(script, element).then(
      () => {
        if (gone || place.current === null) return;
        place.current.replaceChildren(document.createElement(element));
        setReady(true);
      },
      (thrown: unknown) => {
        if (!gone) setFault(saysFault(thrown));
      },
    );
    return () => {
      gone = true;
    };
  }, [script, element, turn]);
  const dark = isDark.value;
  useEffect(() => {
    const made = place.current?.firstElementChild;
    if (ready && made)
      Object.assign(made, {
        context: {
          ...context,
          base: addressIn('/').slice(0, -1),
          theme: dark ? 'dark' : 'light',
          viewOnly: !mayWrite.value,
          ask,
        },
      });
  }, [ready, dark, JSON.stringify(context)]);
  return (
    <>
      {fault === '' ? null : (
        <p class="fault empty">
          {title} cannot be shown: {fault}. <AskAgain />
        </p>
      )}
      {ready || fault !== '' ? null : <p class="faint empty">loading …</p>}
      <div ref={place} />
    </>
  );
};
