// A stored value as JSON that folds. Stored text never becomes markup.
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import { isPicture } from '../../pure/trace-values.js';
import { useLoaded } from '../loading.js';
import { Markdown } from '../told/markdown.js';
import { LargeValue } from './large.js';
import { AskAgain, Wait } from '../shell/wait.js';

const mostLetters = 2000;
/** Letters that come at once after the first of a longer text: no browser lays out millions of them in no time. */
const moreLetters = 50_000;
const mostMembers = 100;
/** Members of a longer list begin folded. */
const mostOpen = 20;
/** Marks of a longer text are not read. */
const mostMarked = 20_000;

const Text = ({
  shown,
  of,
  marked = false,
  onMore,
}: {
  shown: string;
  /** Letters that there are. */
  of: number;
  marked?: boolean;
  onMore: () => void;
}) => (
  <>
    {marked && shown.length <= mostMarked ? (
      <Markdown text={shown} />
    ) : (
      <span class="notes" dir="auto">
        {shown}
      </span>
    )}
    {shown.length < of ? (
      <button type="button" class="link" onClick={onMore}>
        {shown.length + moreLetters < of
          ? `… ${formatCount(moreLetters)} more of ${formatCount(of)} characters`
          : `… all ${of} characters`}
      </button>
    ) : null}
  </>
);

export const Letters = ({ text, marked = false }: { text: string; marked?: boolean }) => {
  const [most, setMost] = useState(mostLetters);
  const isImage = useMemo(() => isPicture(text), [text]);
  return isImage ? (
    <img class="stored" src={text} alt="A picture that was stored" />
  ) : (
    <Text
      shown={text.slice(0, most)}
      of={text.length}
      marked={marked}
      onMore={() => setMost(most + moreLetters)}
    />
  );
};

const LargeText = ({ of }: { of: LargeValue }) => {
  const [most, setMost] = useState(of.begins.length);
  const { value, fault } = useLoaded(
    () => (most === of.begins.length ? Promise.resolve(of.begins) : of.text(0, most)),
    [of, most],
    () => of.begins,
  );
  return (
    <>
      <Text shown={value ?? of.begins} of={of.count} onMore={() => setMost(most + moreLetters)} />
      {fault === undefined ? null : (
        <span class="fault">
          {' '}
          {fault} <AskAgain />
        </span>
      )}
    </>
  );
};

const countOf = (value: object): string => {
  if (value instanceof LargeValue)
    return value.kind === 'list' ? `[${value.count}]` : `{${value.count}}`;
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return Array.isArray(value) ? `[${count}]` : `{${count}}`;
};

const Listed = ({
  members,
  of,
  open,
  onMore,
}: {
  members: readonly (readonly [name: string, value: unknown])[];
  /** How many there are. */
  of: number;
  open: number;
  onMore: () => void;
}) => (
  <ul class="json">
    {members.map(([name, value]) => (
      <li key={name}>
        <Node name={name} value={value} open={of > mostOpen ? 0 : open} />
      </li>
    ))}
    {of > members.length ? (
      <li>
        <button type="button" class="link" onClick={onMore}>
          {of - members.length} more
        </button>
      </li>
    ) : null}
  </ul>
);

/** The members of a list or object; of many the first, and more when asked for. */
const Members = ({ of, open }: { of: object; open: number }) => {
  const [most, setMost] = useState(mostMembers);
  const names = Object.keys(of);
  return (
    <Listed
      members={names
        .slice(0, most)
        .map((name) => [name, (of as Readonly<Record<string, unknown>>)[name]])}
      of={names.length}
      open={open}
      onMore={() => setMost(most + 5 * mostMembers)}
    />
  );
};

/** Likewise of what another thread keeps. */
const LargeMembers = ({ of }: { of: LargeValue }) => {
  const [most, setMost] = useState(mostMembers);
  const { value, fault } = useLoaded(() => of.members(0, most), [of, most]);
  if (value === undefined) return <Wait fault={fault} />;
  return (
    <Listed members={value} of={of.count} open={0} onMore={() => setMost(most + mostMembers)} />
  );
};

const Node = ({
  name,
  value,
  open,
}: {
  name: string | undefined;
  value: unknown;
  /** How many levels are open from here. */
  open: number;
}): ComponentChildren => {
  const [shown, setShown] = useState(open > 0);
  const label = name === undefined ? null : <b>{name}: </b>;
  if (value instanceof LargeValue && value.kind === 'text')
    return (
      <span>
        {label}
        <LargeText of={value} />
      </span>
    );
  if (typeof value !== 'object' || value === null)
    return (
      <span>
        {label}
        {typeof value === 'string' ? (
          <Letters text={value} />
        ) : (
          <code>{value === undefined ? 'nothing' : String(value)}</code>
        )}
      </span>
    );
  return (
    <details open={open > 0} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        {label}
        <span class="faint">{countOf(value)}</span>
      </summary>
      {!shown ? null : value instanceof LargeValue ? (
        <LargeMembers of={value} />
      ) : (
        <Members of={value} open={open - 1} />
      )}
    </details>
  );
};

export const Json = ({ value, open = 2 }: { value: unknown; open?: number }) => (
  <Node name={undefined} value={value} open={open} />
);
