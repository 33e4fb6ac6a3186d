/** For a test that compares with the wall clock: a busy machine may spoil a round. */
export const WALL_CLOCK = { retry: 2 }
