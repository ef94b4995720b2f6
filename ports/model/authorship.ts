/** Who made a record and who changed it last, by the names of users. Times are microseconds since 1970 (UTC). */
export interface Authorship {
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastUpdatedAt: number;
  readonly lastUpdatedBy: string;
}
/** What a change notes of who makes it. */
export type Touch = Pick<Authorship, 'lastUpdatedAt' | 'lastUpdatedBy'>;
