// Notes as they are meant: what marks say of a text becomes elements, and nothing of the text becomes markup.
import { useMemo } from 'preact/hooks';
import { blocksOf, type Block, type Inline } from '../../pure/markdown.js';

const Words = ({ of }: { of: readonly Inline[] }) => (
  <>
    {of.map((one, at) => {
      switch (one.kind) {
        case 'text':
          return one.text;
        case 'code':
          return <code key={at}>{one.text}</code>;
        case 'strong':
          return (
            <strong key={at}>
              <Words of={one.inside} />
            </strong>
          );
        case 'stress':
          return (
            <em key={at}>
              <Words of={one.inside} />
            </em>
          );
        case 'link':
          return (
            <a key={at} href={one.to} target="_blank" rel="noopener noreferrer nofollow">
              <Words of={one.inside} />
            </a>
          );
      }
    })}
  </>
);

const One = ({ of }: { of: Block }) => {
  switch (of.kind) {
    case 'heading':
      // The page has its own headings of the first levels.
      return (
        <p
          class={`heading level-${Math.min(3, of.level)}`}
          role="heading"
          aria-level={of.level + 2}
        >
          <Words of={of.inside} />
        </p>
      );
    case 'paragraph':
      return (
        <p>
          <Words of={of.inside} />
        </p>
      );
    case 'code':
      return (
        <pre class="code" tabIndex={0} role="region" aria-label="Code">
          {of.text}
        </pre>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks of={of.blocks} />
        </blockquote>
      );
    case 'list': {
      const items = of.items.map((item, at) => (
        <li key={at}>
          <Blocks of={item} />
        </li>
      ));
      return of.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table': {
      const [head = [], ...body] = of.rows;
      return (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table">
          <table class="plain">
            <thead>
              <tr>
                {head.map((cell, at) => (
                  <th key={at} scope="col">
                    <Words of={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {body.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, place) => (
                    <td key={place}>
                      <Words of={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case 'rule':
      return <hr />;
  }
};

const Blocks = ({ of }: { of: readonly Block[] }) => (
  <>
    {of.map((one, at) => (
      <One key={at} of={one} />
    ))}
  </>
);

export const Markdown = ({ text }: { text: string }) => {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div class="prose" dir="auto">
      <Blocks of={blocks} />
    </div>
  );
};
