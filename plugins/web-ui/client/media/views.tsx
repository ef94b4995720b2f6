// One file as what it is: picture, sound, text, table, or a picture of numbers.
import { useMemo } from 'preact/hooks';
import { formatBytes, formatCount } from '../../pure/format.js';
import { readCells } from '../../pure/media.js';
import { addressOf, type Media } from './files.js';
import { Cut } from '../shell/cut.js';
import { Embeddings } from './embeddings.js';
import { ConfusionView } from './numbers.js';
import { Picture } from './picture.js';
import { Space } from './points.js';
import { Odd, useText, Wait } from './waiting.js';

const mostRows = 500;
/** Letters of a cell that are shown; the file has them all. */
const mostLetters = 1000;
/** The same of a text. */
const mostOfText = 20_000;

const Cell = ({ text }: { text: string }) =>
  text.length <= mostLetters ? (
    <>{text}</>
  ) : (
    <>
      {text.slice(0, mostLetters)}
      <span class="faint"> … {formatCount(text.length - mostLetters)} more letters</span>
    </>
  );

const Table = ({ of }: { of: Media }) => {
  const { value, fault } = useText(of);
  const rows = useMemo(
    () =>
      value === undefined
        ? []
        : readCells(
            value,
            /\.tsv$/i.test(of.name) || !value.includes(',') ? '\t' : ',',
            mostRows + 1,
          ),
    [value],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const [head = [], ...body] = rows;
  return (
    <div class="scroll table" tabIndex={0} role="region" aria-label={of.name}>
      <table class="plain">
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at}>{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={at}>
              {row.map((cell, place) => (
                <td key={place}>
                  <Cell text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {body.length === mostRows ? (
        <p class="faint">
          the first {mostRows} rows of {formatBytes(of.size)}
        </p>
      ) : null}
    </div>
  );
};

const Text = ({ of }: { of: Media }) => {
  const { value, fault } = useText(of);
  return value === undefined ? (
    <Wait fault={fault} />
  ) : (
    <>
      <pre class="error">{value.slice(0, mostOfText)}</pre>
      <Cut shown={mostOfText} of={value.length} what="letters" how="the file has all" />
    </>
  );
};

export const View = ({ of, onOpen }: { of: Media; onOpen?: () => void }) => {
  switch (of.kind) {
    case 'image':
      return <Picture of={of} lazy onOpen={onOpen} />;
    case 'audio':
      return <audio controls preload="none" src={addressOf(of)} aria-label={of.name} />;
    case 'video':
      return <video controls preload="metadata" src={addressOf(of)} aria-label={of.name} />;
    case 'text':
      return <Text of={of} />;
    case 'table':
      return <Table of={of} />;
    case 'confusion':
      return <ConfusionView of={of} />;
    case 'embeddings':
      return <Embeddings of={of} />;
    case 'space':
      return <Space of={of} />;
    default:
      return <Odd of={of} />;
  }
};
