/** Of a test that compares with the clock on the wall: a busy machine may spoil a round. */
export const WALL_CLOCK = { retry: 2 }
