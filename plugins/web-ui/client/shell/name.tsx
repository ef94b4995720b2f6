/** A name of parts, which on a narrow screen breaks between them and not within a word. */
export const Name = ({ of }: { of: string }) => (
  <>
    {of.split(/(?<=[/_.])/).map((part, at) => (
      <>
        {at === 0 ? null : <wbr />}
        {part}
      </>
    ))}
  </>
);
