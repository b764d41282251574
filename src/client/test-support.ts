import { nextTurn } from '#base';

/** Everything that can happen without anybody's doing has happened. */
export async function settled(): Promise<void> {
  // The code under test itself waits for its turn where one has become long.
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}
