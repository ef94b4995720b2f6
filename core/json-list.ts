// JSON documents with one long list, written while it is read, so that the length of the list costs no memory.

/** What stands before the items of a list that is the last member of an object, behind the members of `head`, and what stands after them. */
export const listAfter = (
  head: object,
  name: string,
): { readonly open: string; readonly close: string } => {
  const members = JSON.stringify(head).slice(0, -1);
  return { open: `${members}${members === '{' ? '' : ','}${JSON.stringify(name)}:[`, close: ']}' };
};

/** The text of an object: the members of `head`, and after them the list `name`, whose items come in pages, each as `write` has it. */
export async function* writeList<T>(
  head: object,
  name: string,
  pages: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  write: (item: T) => string = (item) => JSON.stringify(item),
): AsyncIterable<string> {
  const { open, close } = listAfter(head, name);
  let before = open;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map(write).join(',');
    before = ',';
  }
  yield before === ',' ? close : `${open}${close}`;
}
