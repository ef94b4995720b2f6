export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly createdAt: number;
}
