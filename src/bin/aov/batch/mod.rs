//! Many inputs on all cores: work in any order, results in theirs, and no more in memory than a
//! budget, or the one input that is larger.

pub(crate) mod progress;

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

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
pub(crate) fn in_order<B: Send, S, T: Send>(
    jobs: usize,
    produce: impl FnOnce(&mut Take<'_, B>) + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, B) -> T + Sync,
    mut report: impl FnMut(T) -> bool,
) {
    if jobs <= 1 {
        let mut own = state();
        return produce(&mut |piece, _| report(work(&mut own, piece)));
    }
    let budget = Budget::default();
    let (to_workers, pieces) = mpsc::channel();
    let pieces = Mutex::new(pieces);
    let (to_us, results) = mpsc::channel();
    std::thread::scope(|scope| {
        let worker = |to_us: Sender<Numbered<T>>| {
            let (state, work, pieces, budget) = (&state, &work, &pieces, &budget);
            move || {
                let mut own = state();
                while let Some(Numbered { number, cost, what }) = next(pieces, budget) {
                    let what = work(&mut own, what);
                    if to_us.send(Numbered { number, cost, what }).is_err() {
                        return;
                    }
                }
            }
        };
        let started = (0..jobs).filter(|_| start(scope, worker(to_us.clone()))).count();
        if started == 0 {
            // A machine that gives no thread: everything happens here.
            let mut own = state();
            return produce(&mut |piece, _| report(work(&mut own, piece)));
        }
        drop(to_us);
        let budget = &budget;
        scope.spawn(move || {
            let mut number = 0;
            produce(&mut |what, cost| {
                let cost = cost.max(LEAST_COST);
                let wanted =
                    budget.take(cost) && to_workers.send(Numbered { number, cost, what }).is_ok();
                number += 1;
                wanted
            });
        });
        deliver(&results, budget, &mut report);
    });
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

fn next<B>(pieces: &Mutex<Receiver<Numbered<B>>>, budget: &Budget) -> Option<Numbered<B>> {
    let piece = lock(pieces).recv().ok()?;
    // What nobody wants any more is not worked on.
    (!lock(&budget.state).closed).then_some(piece)
}

/// Reports results by their number.
fn deliver<T>(
    results: &Receiver<Numbered<T>>,
    budget: &Budget,
    report: &mut impl FnMut(T) -> bool,
) {
    let mut waiting = BTreeMap::new();
    let mut due = 0;
    for result in results {
        waiting.insert(result.number, result);
        while let Some(Numbered { cost, what, .. }) = waiting.remove(&due) {
            due += 1;
            budget.give_back(cost);
            if !report(what) {
                budget.close();
                return;
            }
        }
    }
}

/// How much is in memory. Pieces are taken in order, so the one that is due is always among those
/// that are worked on, and giving back never waits for taking.
#[derive(Default)]
struct Budget {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    taken: usize,
    closed: bool,
}

impl Budget {
    /// Waits until there is room, or nothing else; false if no more is wanted.
    fn take(&self, cost: usize) -> bool {
        let full = |state: &mut State| {
            !state.closed && state.taken > 0 && state.taken.saturating_add(cost) > BUDGET
        };
        let state = self.changed.wait_while(lock(&self.state), full);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.taken = state.taken.saturating_add(cost);
        !state.closed
    }

    fn give_back(&self, cost: usize) {
        let mut state = lock(&self.state);
        state.taken = state.taken.saturating_sub(cost);
        self.changed.notify_all();
    }

    fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_all();
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
        let (produced, most, now) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let mut reported = Vec::new();
        in_order(
            jobs,
            |take| {
                for piece in 0..pieces {
                    produced.fetch_add(1, Ordering::SeqCst);
                    let held = now.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(held, Ordering::SeqCst);
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
        (reported, produced.into_inner(), most.into_inner())
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
}
