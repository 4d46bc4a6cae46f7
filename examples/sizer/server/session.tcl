# Started as: sta -no_splash -no_init session.tcl, with LIB, NETLIST, TOP, CLOCK, PERIOD and LOAD in the environment.
# Answers each line of standard input with one line <<<code result>>>; code 0 is Tcl's "ok".
read_liberty $env(LIB)
read_verilog $env(NETLIST)
link_design $env(TOP)
create_clock -name clk -period $env(PERIOD) [get_ports $env(CLOCK)]
foreach net [get_nets *] { set_load $env(LOAD) $net }

proc worst_ns {} { return [expr {[sta::worst_slack_cmd max] * 1e9}] }
proc total_ns {} { return [expr {[sta::total_negative_slack_cmd max] * 1e9}] }
proc masters {} {
  set list {}
  foreach c [get_cells *] { lappend list [get_full_name $c] [get_property $c ref_name] }
  return $list
}
proc worst_path {} {
  set list {}
  foreach p [find_timing_paths -path_delay max] {
    foreach pt [get_property $p points] { lappend list [get_full_name [get_property $pt pin]] }
  }
  return $list
}
# replace_cell with an unknown cell or master raises no error: the master afterwards is what counts.
proc resize {cell master} {
  set c [get_cells $cell]
  if {$c eq ""} { error "there is no cell $cell" }
  replace_cell $c $master
  set now [get_property $c ref_name]
  if {$now ne [lindex [split $master /] end]} { error "the cell is still $now" }
  return $now
}
puts "<<<0 ready>>>"
flush stdout
while {[gets stdin line] >= 0} {
  set code [catch {uplevel #0 $line} res]
  puts "<<<$code [string map [list "\n" " "] $res]>>>"
  flush stdout
}
exit
