// Pages of the private wire. Pure.
import { Failure } from '#ports/failure';
import type { PageRequest } from '#ports/page';

const usualSize = 10;
const mostSize = 2000;
/** As far as a page may lie: beyond it an offset is no number that a database takes. */
const mostPage = 2 ** 31;

/** Which page a query asks for: the first one of ten, where it says nothing. A size beyond 2,000 is that. Rejects with `invalid` below 1. */
export const readPage = (
  { page = 1, size }: { readonly page?: number | undefined; readonly size?: number | undefined },
  usual = usualSize,
): PageRequest => {
  if (page < 1 || page > mostPage)
    throw new Failure('invalid', 'query param page must be greater than or equal to 1');
  if (size !== undefined && size < 1)
    throw new Failure('invalid', 'query param size must be greater than or equal to 1');
  return { page, size: Math.min(size ?? usual, mostSize) };
};

/** A page of a list; `size` is how many it holds. Both kinds of client find the names to sort by. */
export const showPage = <T>(
  { page }: Pick<PageRequest, 'page'>,
  { total, content }: { readonly total: number; readonly content: readonly T[] },
  sortable: readonly string[] = [],
) => ({
  page,
  size: content.length,
  total,
  content: [...content],
  sortableBy: [...sortable],
  sortable_by: [...sortable],
});
