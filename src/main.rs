fn main() {
    let depth = std::env::args().nth(1).map_or(5, |d| d.parse().unwrap());
    let mut p = chuhe::position::Position::start();
    let t = std::time::Instant::now();
    let n = chuhe::position::perft(&mut p, depth);
    let e = t.elapsed().as_secs_f64();
    println!("bulk {n} {:.1} M/s", n as f64 / e / 1e6);
    let t = std::time::Instant::now();
    let n = chuhe::position::perft_by_making(&mut p, depth);
    let e = t.elapsed().as_secs_f64();
    println!("full {n} {:.1} M/s", n as f64 / e / 1e6);
}
