//! Many inputs on all cores: work in any order, results in theirs, and no more in memory than a
//! budget, or the one input that is larger.

pub(crate) mod progress;

use std::collections::{BTreeMap, VecDeque};
use std::panic::resume_unwind;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle, Scope};

/// Stack of a worker: checks descend with schemas and data (see `check::Work::Inline`).
const STACK: usize = 64 << 20;
/// How many bytes of input are worked on, or wait for their turn to be reported.
const BUDGET: usize = 16 << 20;
/// What a piece of work costs at least, so that the number of small ones is bounded too.
const LEAST_COST: usize = 16 << 10;

/// Takes a piece of work with its cost; false when no more is wanted.
pub(crate) type Take<'t, B> = dyn FnMut(B, usize) -> bool + 't;

/// Does the work that `produce` hands out on `jobs` threads, and gives the results to `report` in
/// order, on this thread, until that says no. Each thread has a state of its own.
///
/// Once `report` has said no, nobody waits for `produce`: it may be reading a pipe that gives
/// nothing for hours. That is why it owns all that it uses.
pub(crate) fn in_order<B: Send + 'static, S, T: Send>(
    jobs: usize,
    produce: impl FnOnce(&mut Take<'_, B>) + Send + 'static,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, B) -> T + Sync,
    mut report: impl FnMut(T) -> bool,
) {
    // Kept apart from the thread that is to call it, in case there is none to be had.
    let produce = Arc::new(Mutex::new(Some(produce)));
    if jobs > 1 {
        let queue = Arc::new(Queue::new());
        let reader = std::thread::scope(|scope| {
            let _closing = Closing(&queue);
            let (to_us, results) = mpsc::channel();
            let worker = |to_us: Sender<Numbered<T>>| {
                let (state, work, queue) = (&state, &work, &queue);
                move || {
                    let mut own = state();
                    while let Some(Numbered { number, cost, what }) = queue.next() {
                        let what = work(&mut own, what);
                        if to_us.send(Numbered { number, cost, what }).is_err() {
                            return;
                        }
                    }
                }
            };
            let started = (0..jobs).filter(|_| start(scope, worker(to_us.clone()))).count();
            drop(to_us);
            let reader = (started > 0).then(|| read(&queue, &produce)).flatten()?;
            let wanted = deliver(&results, &queue, &mut report);
            // Where all is reported the reading has ended, and if it was with a panic, that must
            // not look like the end of the input.
            wanted.then_some(reader)
        });
        if let Some(Err(panic)) = reader.map(JoinHandle::join) {
            resume_unwind(panic);
        }
    }
    // One job; or a machine that gives no thread, so that nothing has begun.
    let Some(produce) = lock(&produce).take() else { return };
    let mut own = state();
    produce(&mut |piece, _| report(work(&mut own, piece)));
}

/// A piece of work, or its result.
struct Numbered<T> {
    number: u64,
    cost: usize,
    what: T,
}

fn start<'s>(scope: &'s Scope<'s, '_>, worker: impl FnOnce() + Send + 's) -> bool {
    Builder::new().stack_size(STACK).spawn_scoped(scope, worker).is_ok()
}

/// Calls `produce` on a thread of its own.
fn read<B: Send + 'static>(
    queue: &Arc<Queue<B>>,
    produce: &Arc<Mutex<Option<impl FnOnce(&mut Take<'_, B>) + Send + 'static>>>,
) -> Option<JoinHandle<()>> {
    let (queue, produce) = (Arc::clone(queue), Arc::clone(produce));
    let reading = move || {
        let _ending = Ending(&queue);
        let Some(produce) = lock(&produce).take() else { return };
        let mut number = 0;
        produce(&mut |what, cost| {
            let piece = Numbered { number, cost: cost.max(LEAST_COST), what };
            number += 1;
            queue.put(piece)
        });
    };
    Builder::new().spawn(reading).ok()
}

/// Reports results by their number; false when no more is wanted.
fn deliver<B, T>(
    results: &Receiver<Numbered<T>>,
    queue: &Queue<B>,
    report: &mut impl FnMut(T) -> bool,
) -> bool {
    let mut waiting = BTreeMap::new();
    let mut due = 0;
    for result in results {
        waiting.insert(result.number, result);
        while let Some(Numbered { cost, what, .. }) = waiting.remove(&due) {
            due += 1;
            queue.give_back(cost);
            if !report(what) {
                return false;
            }
        }
    }
    true
}

/// Work that waits, and how much is in memory. Pieces are taken in order, so the one that is due is
/// always among those that are worked on, and giving back never waits for taking.
struct Queue<B> {
    state: Mutex<State<B>>,
    room: Condvar,
    work: Condvar,
}

struct State<B> {
    waiting: VecDeque<Numbered<B>>,
    taken: usize,
    /// There will be no more.
    ended: bool,
    /// No more is wanted.
    closed: bool,
}

impl<B> Queue<B> {
    fn new() -> Self {
        let state = State { waiting: VecDeque::new(), taken: 0, ended: false, closed: false };
        Self { state: Mutex::new(state), room: Condvar::new(), work: Condvar::new() }
    }

    /// Waits until there is room, or nothing else; false if no more is wanted.
    fn put(&self, piece: Numbered<B>) -> bool {
        let full = |state: &mut State<B>| {
            !state.closed && state.taken > 0 && state.taken.saturating_add(piece.cost) > BUDGET
        };
        let state = self.room.wait_while(lock(&self.state), full);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return false;
        }
        state.taken = state.taken.saturating_add(piece.cost);
        state.waiting.push_back(piece);
        self.work.notify_one();
        true
    }

    /// Waits for a piece; none when there is no more, or no more is wanted.
    fn next(&self) -> Option<Numbered<B>> {
        let nothing =
            |state: &mut State<B>| state.waiting.is_empty() && !state.ended && !state.closed;
        let state = self.work.wait_while(lock(&self.state), nothing);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        // What nobody wants any more is not worked on.
        if state.closed { None } else { state.waiting.pop_front() }
    }

    fn give_back(&self, cost: usize) {
        let mut state = lock(&self.state);
        state.taken = state.taken.saturating_sub(cost);
        self.room.notify_all();
    }
}

/// Ends the input when it goes, a panic included.
struct Ending<'q, B>(&'q Queue<B>);

impl<B> Drop for Ending<'_, B> {
    fn drop(&mut self) {
        lock(&self.0.state).ended = true;
        self.0.work.notify_all();
    }
}

/// Says that no more is wanted when it goes, a panic included.
struct Closing<'q, B>(&'q Queue<B>);

impl<B> Drop for Closing<'_, B> {
    fn drop(&mut self) {
        lock(&self.0.state).closed = true;
        self.0.room.notify_all();
        self.0.work.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn run(jobs: usize, pieces: u64, cost: usize, enough: usize) -> (Vec<u64>, usize, usize) {
        let counters = || Arc::new(AtomicUsize::new(0));
        let (produced, most, now) = (counters(), counters(), counters());
        let (counted, highest, held) = (Arc::clone(&produced), Arc::clone(&most), Arc::clone(&now));
        let mut reported = Vec::new();
        in_order(
            jobs,
            move |take| {
                for piece in 0..pieces {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let held = held.fetch_add(1, Ordering::SeqCst) + 1;
                    highest.fetch_max(held, Ordering::SeqCst);
                    if !take(piece, cost) {
                        return;
                    }
                }
            },
            || 0_u64,
            |seen, piece| {
                *seen += 1;
                // Even pieces take longer, so that results come out of order.
                let rounds = if piece % 2 == 0 { 2_000 } else { 1 };
                assert!((0..rounds).fold(*seen, |sum, it| sum ^ it) < u64::MAX);
                piece * 3
            },
            |result| {
                now.fetch_sub(1, Ordering::SeqCst);
                reported.push(result);
                reported.len() < enough
            },
        );
        (reported, produced.load(Ordering::SeqCst), most.load(Ordering::SeqCst))
    }

    #[test]
    fn results_come_in_order() {
        for jobs in [1, 2, 7] {
            let (reported, produced, _) = run(jobs, 5_000, 1, usize::MAX);
            assert_eq!(produced, 5_000);
            assert!(reported.iter().enumerate().all(|(at, result)| *result == 3 * at as u64));
            assert_eq!(reported.len(), 5_000);
        }
        assert!(run(4, 0, 1, usize::MAX).0.is_empty());
    }

    #[test]
    fn no_more_is_held_than_the_budget() {
        // Four fit; one more waits, and one is being reported.
        let (_, _, most) = run(8, 400, BUDGET / 4, usize::MAX);
        assert!(most <= 6, "{most}");
        // What is larger than the budget goes alone.
        let (reported, _, most) = run(8, 50, 2 * BUDGET, usize::MAX);
        assert_eq!(reported.len(), 50);
        assert!(most <= 3, "{most}");
    }

    #[test]
    fn when_no_more_is_wanted_the_work_ends() {
        for jobs in [1, 3] {
            let (reported, produced, _) = run(jobs, u64::MAX, 1 << 20, 5);
            assert_eq!(reported, [0, 3, 6, 9, 12]);
            assert!(produced < 100, "{produced}");
        }
    }

    #[test]
    fn nobody_waits_for_a_source_that_gives_nothing() {
        let (open, never) = mpsc::channel::<u64>();
        let mut reported = Vec::new();
        in_order(
            2,
            move |take| {
                let more = take(7, 1);
                // As a read of a pipe that stays open.
                assert!(!more || never.recv().is_err());
            },
            || (),
            |(), piece: u64| piece,
            |result| {
                reported.push(result);
                false
            },
        );
        assert_eq!(reported, [7]);
        drop(open);
    }

    #[test]
    fn a_source_that_fails_is_not_at_its_end() {
        let ended = std::panic::catch_unwind(|| {
            in_order(
                2,
                |take| {
                    take(1, 1);
                    panic!("on purpose");
                },
                || (),
                |(), piece: u64| piece,
                |_| true,
            );
        });
        assert!(ended.is_err());
    }
}
