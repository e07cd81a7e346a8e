//! What a dataset will do, and what an iterator has done.

use weir::{range, Result, Runtime, StatsFormat};

#[test]
fn explain_names_the_operators() -> Result<()> {
    let dataset = range(10).batch(4).prefetch(2).build(&Runtime::new()?)?;
    let said = dataset.explain(false)?;
    assert!(said.contains(r#""text": "prefetch(2)""#), "{said}");
    assert!(said.contains(r#""max_rows": 2"#), "{said}");
    assert!(said.contains(r#""needs_policy": false"#), "{said}");
    let text = dataset.explain(true)?;
    assert!(text.starts_with("prefetch(2)"), "{text}");
    Ok(())
}

#[test]
fn stats_count_elements() -> Result<()> {
    let mut iterator = range(10).batch(4).build(&Runtime::new()?)?.iter()?;
    let elements = |count: u32| format!(r#""elements": {count}, "verdict""#);
    assert!(iterator.stats(StatsFormat::Json)?.contains(&elements(0)));
    iterator.by_ref().take(2).collect::<Result<Vec<_>>>()?;
    let said = iterator.stats(StatsFormat::default())?;
    assert!(said.contains(&elements(2)), "{said}");
    assert!(iterator.stats(StatsFormat::Text)?.starts_with("stage "));
    let scrape = iterator.stats(StatsFormat::Prometheus)?;
    let counted = |line: &str| line.contains(r#"stage="batch/range""#) && line.ends_with("} 8");
    assert!(
        scrape
            .lines()
            .any(|line| line.starts_with("weir_elements_total") && counted(line)),
        "{scrape}"
    );
    Ok(())
}

#[test]
fn a_runtime_writes_its_timeline() -> Result<()> {
    let file = std::env::temp_dir().join(format!("weir-trace-{}.json", std::process::id()));
    let runtime = weir::RuntimeOptions::new().trace_file(&file).create()?;
    assert_eq!(range(10).batch(4).build(&runtime)?.iter()?.count(), 3);
    drop(runtime);
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("traceEvents"), "{text}");
    std::fs::remove_file(&file).expect("it is there");
    Ok(())
}
