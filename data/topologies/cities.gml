Creator "netbound"
Version 1
graph [
  # In the style of the Internet Topology Zoo
  directed 0
  Network "Four cities"
  node [
    id 0
    label "Z&#252;rich"
    Longitude 8.55
    graphics [ x 1.0 y 2.0 fill "#cccccc" ]
    terminals 2
  ]
  node [ id 1 label "Gen&#232;ve" ]
  node [ id 2 label "Basel" ]
  node [ id 7 label "Basel" ]
  edge [ source 0 target 1 LinkLabel "10 Gbps" LinkSpeedRaw 10.0 ]
  edge [ source 1 target 2 LinkSpeedRaw 2.5 ]
  edge [ source 2 target 7 ]
  edge [ source 7 target 0 LinkSpeedRaw 10 ]
]
